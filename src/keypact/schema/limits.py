"""Limits of documents, each once, with its reason. Sizes are in bytes."""

from __future__ import annotations

# What a document may cost to read ---------------------------------------------

# A hundred models of fifty attributes take a tenth of this; more is the wrong file.
DOCUMENT_BYTES_MAX = 4 * 1024 * 1024
# Short values in a large file would take far more memory than the file has bytes.
NODES_MAX = 250_000
# Lists and objects inside each other. DMS itself needs six; the rest is for tags.
# A reader that recurses stays bounded by it.
DEPTH_MAX = 64

# Numbers ------------------------------------------------------------------------

# Beyond this a double no longer holds every integer, so JavaScript would read another number.
INTEGER_MAX = 2**53 - 1

# DynamoDB's own, for what a document declares --------------------------------------

ATTRIBUTE_NAME_BYTES_MAX = 65_535
# Names in keys and projections are shorter: they stand in the table's definition.
KEY_NAME_BYTES_MAX = 255
GLOBAL_INDEXES_MAX = 20
LOCAL_INDEXES_MAX = 5
# Fields that one index may include.
INDEX_PROJECTED_NAMES_MAX = 20
# Fields named in the projections of all indexes of a table together.
PROJECTED_NAMES_MAX = 100

# How much of a value an error message shows ---------------------------------------

SHOWN_CHARACTERS_MAX = 60
