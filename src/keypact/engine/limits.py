"""DynamoDB's limits, each once, with its reason. Sizes are in bytes."""

from __future__ import annotations

# Items ---------------------------------------------------------------------

# Attribute names count too; the whole is measured in UTF-8.
ITEM_BYTES_MAX = 400 * 1024
PARTITION_KEY_BYTES_MAX = 2048
SORT_KEY_BYTES_MAX = 1024
# Maps and lists inside each other; a parser that recurses stays bounded by it.
NESTING_LEVELS_MAX = 32
ATTRIBUTE_NAME_BYTES_MAX = 65_535
# Names of key attributes are shorter: they stand in the table's definition.
KEY_NAME_BYTES_MAX = 255

# Numbers: 38 digits, magnitude 1E-130 to 9.99…E+125.
NUMBER_DIGITS_MAX = 38
# Idle zeros may make a number's text longer than its digits, but not without end.
NUMBER_CHARACTERS_MAX = 1024
NUMBER_EXPONENT_MIN = -130
NUMBER_EXPONENT_MAX = 125

# Pages ---------------------------------------------------------------------

# Counted before the filter, as AWS does: counting after it would yield
# fewer, larger pages, and our cursors would stop matching AWS's.
PAGE_BYTES_MAX = 1024 * 1024
SEGMENTS_MAX = 1_000_000

# Batches and transactions ----------------------------------------------------

BATCH_GET_KEYS_MAX = 100
BATCH_GET_BYTES_MAX = 16 * 1024 * 1024
BATCH_WRITE_REQUESTS_MAX = 25
BATCH_WRITE_BYTES_MAX = 16 * 1024 * 1024
TRANSACTION_ITEMS_MAX = 100
TRANSACTION_BYTES_MAX = 4 * 1024 * 1024
# A repeated token within this time answers as the first call did.
REQUEST_TOKEN_SECONDS = 10 * 60

# Expressions ----------------------------------------------------------------

EXPRESSION_BYTES_MAX = 4096
# Operators and functions in one expression.
EXPRESSION_OPERATORS_MAX = 300
# Operands of one IN.
IN_OPERANDS_MAX = 100
# Parentheses and NOTs inside each other: deeper text is refused before it can
# exhaust the stack. 4,096 bytes of text could nest far deeper than this.
EXPRESSION_DEPTH_MAX = 100
EXPRESSION_NAME_BYTES_MAX = 255
# All substitution variables of a request together.
SUBSTITUTIONS_BYTES_MAX = 2 * 1024 * 1024

# Tables ----------------------------------------------------------------------

TABLES_MAX = 2500
LIST_TABLES_LIMIT_MAX = 100
GLOBAL_INDEXES_MAX = 20
LOCAL_INDEXES_MAX = 5
# Non-key attributes named in the projections of all indexes together.
PROJECTED_NAMES_MAX = 100
# Attributes of one index key: DynamoDB takes up to four for each half.
INDEX_KEY_ATTRIBUTES_MAX = 4
# Items under one partition key where the table has a local index.
ITEM_COLLECTION_BYTES_MAX = 10 * 1024**3

# Time to live ------------------------------------------------------------------

REAPER_FIRST_RUN_SECONDS = 60
REAPER_INTERVAL_SECONDS = 60
# A time further back than this is taken for a mistake and never expires.
EXPIRY_AGE_SECONDS_MAX = 5 * 365 * 24 * 60 * 60

# The wire ------------------------------------------------------------------------

# DynamoDB refuses larger requests with 413.
REQUEST_BYTES_MAX = 16 * 1024 * 1024
