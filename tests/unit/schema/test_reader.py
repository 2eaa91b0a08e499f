"""Text becomes the same data as in every other language, or is refused at its place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from keypact.errors import InvalidDocument
from keypact.schema import limits
from keypact.schema.document import Document
from keypact.schema.reader import read_data, read_document, read_file

from .documents import json_objects, json_values


@pytest.fixture(params=["libyaml", "pure Python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both parsers that an installation may have."""
    if request.param == "pure Python":
        monkeypatch.delattr(yaml, "CSafeLoader", raising=False)
    return str(request.param)


def told(document: Document) -> list[tuple[int, int, str, str]]:
    return [(one.line, one.column, one.path, one.message) for one in document.problems]


# Scalars ---------------------------------------------------------------------------------

# From section 10.3.2 of the YAML 1.2.2 specification, but for leading zeros.
CORE_SCHEMA = [
    ("null", None), ("Null", None), ("NULL", None), ("~", None), ("", None),
    ("true", True), ("True", True), ("TRUE", True),
    ("false", False), ("False", False), ("FALSE", False),
    ("0", 0), ("12", 12), ("-19", -19), ("+12", 12), ("-0", 0),
    ("0o7", 7), ("0o14", 12), ("0x3A", 58), ("0xff", 255),
    ("0.", 0.0), ("-0.0", 0.0), (".5", 0.5), ("+12e03", 12000.0), ("-2E+05", -200000.0),
    ("1.5", 1.5), ("1e3", 1000.0),
]  # fmt: skip

# What YAML 1.1, or a reader that guesses, takes for something else.
STRINGS = [
    "on", "off", "yes", "no", "y", "n", "On", "YES",
    "010", "-007", "00", "08", "00.5", "01e5",
    "1:30", "190:20:30", "1_000", "0b101", "0o8", "0xG", "-0o7", "+0x1",
    "2026-01-01", "2026-01-01T00:00:00Z", "2026-01-01 10:00:00",
    "nULL", "tRUE", "none", "nan", "NaN", "inf", "Infinity", "-Infinity",
    "1e", "e5", "1.5.2", "+", "-1-", "=", "1 2", "~~",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value"), CORE_SCHEMA)
def test_plain_scalars_follow_the_core_schema(parser: str, text: str, value: object) -> None:
    """A plain scalar is what YAML 1.2 says, with its type."""
    read = read_document(f"a: {text}\n").data["a"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("text", STRINGS)
def test_nothing_else_is_guessed(parser: str, text: str) -> None:
    """on, yes, 010, 1:30 and 2026-01-01 stay strings, and so does all that looks like them."""
    assert read_document(f"a: {text}\n").data == {"a": text}
    assert read_document(f"- [{text}]\n").data == [[text]]


@pytest.mark.parametrize("text", ["null", "true", "12", "0x1F", ".inf", "1e999", ""])
@pytest.mark.parametrize("quote", ["'", '"'])
def test_what_is_quoted_is_a_string(parser: str, quote: str, text: str) -> None:
    """Quotes make a string of anything."""
    assert read_document(f"a: {quote}{text}{quote}").data == {"a": text}


def test_keys_that_yaml_1_1_takes_for_booleans_are_strings(parser: str) -> None:
    """A member may be called on or no."""
    assert read_document("on: 1\nno: 2\n010: 3\n").data == {"on": 1, "no": 2, "010": 3}


@pytest.mark.parametrize("text", [".inf", "-.INF", "+.Inf", ".nan", ".NaN", "1e999", "-1e999"])
def test_numbers_that_json_has_not_are_refused(parser: str, text: str) -> None:
    """Infinity and NaN have no JSON, nor has what overflows to them."""
    message = "the number is too large, or none at all"
    assert told(read_document(f"b: [1, {text}]")) == [(1, 8, "b[1]", message)]


@pytest.mark.parametrize(
    "text", ["9007199254740992", "-9007199254740992", "0x20000000000000", "9" * 5000]
)
def test_integers_that_javascript_rounds_are_refused(parser: str, text: str) -> None:
    """2^53 and beyond would be another number in another language."""
    (problem,) = read_document(f"a: {text}").problems
    assert (problem.path, problem.line, problem.column) == ("a", 1, 4)
    assert problem.hint == "write it as a string"


def test_the_largest_portable_integers_are_read(parser: str) -> None:
    """2^53 - 1 is exact in a double."""
    text = "[9007199254740991, -9007199254740991, 0x1FFFFFFFFFFFFF, 0000x]"
    assert read_document(text).data == [2**53 - 1, 1 - 2**53, 2**53 - 1, "0000x"]


# What JSON has not -------------------------------------------------------------------------

REFUSED = {
    "anchor": ("a: &x 1\n", 1, 4, "a", "anchor &x is not allowed"),
    "anchor of a key": ("&x a: 1\n", 1, 1, "a", "anchor &x is not allowed"),
    "anchor of a list": ("a:\n  - &x [1]\n", 2, 5, "a[0]", "anchor &x is not allowed"),
    "alias": ("a: 1\nb: [*x]\n", 2, 5, "b[0]", "alias *x is not allowed"),
    "merge key": ("a:\n  <<: {b: 1}\n", 2, 3, "a", "merge key << is not allowed"),
    "tag": ("a: !!str 1\n", 1, 4, "a", "tag tag:yaml.org,2002:str is not allowed"),
    "own tag": ("a: !mine {}\n", 1, 4, "a", "tag !mine is not allowed"),
    "tag without a name": ("a: ! 1\n", 1, 4, "a", "tag ! is not allowed"),
    "duplicate key": ("a: 1\nb:\n  c: 1\n  c: 2\n", 4, 3, "b.c", "duplicate key"),
    "duplicate key, quoted": ("a: 1\n'a': 2\n", 2, 1, "a", "duplicate key"),
    "second document": ("a: 1\n---\nb: 2\n", 2, 1, "", "a second document begins here"),
    "number as key": ("a:\n  1: x\n", 2, 3, "a", "the key 1 is not a string"),
    "boolean as key": ("true: x\n", 1, 1, "", "the key true is not a string"),
    "null as key": ("~: x\n", 1, 1, "", "the key null is not a string"),
    "list as key": ("? [a]\n: x\n", 1, 3, "", "a list cannot be a key"),
    "object as key": ("{{a: 1}: 2}\n", 1, 2, "", "an object cannot be a key"),
    "directive": ("# c\n%FOO 1\n---\na: 1\n", 2, 1, "", 'directive "%FOO 1" is not allowed'),
    "tag directive": ("%TAG ! x\n---\na: 1\n", 1, 1, "", 'directive "%TAG ! x" is not allowed'),
    "older YAML": ("%YAML 1.1\n---\na\n", 1, 1, "", 'directive "%YAML 1.1" is not allowed'),
    "empty": ("# nothing\n", 1, 1, "", "the document is empty"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "column", "path", "message"), REFUSED.values(), ids=list(REFUSED)
)
def test_what_json_has_not_is_refused_at_its_place(
    parser: str, text: str, line: int, column: int, path: str, message: str
) -> None:
    """Each with line, column and path, counted from 1, and nothing else is said."""
    document = read_document(text)
    assert told(document) == [(line, column, path, message)]
    assert all(problem.hint for problem in document.problems)


@pytest.mark.parametrize("code", [0x00, 0x1B, 0x7F, 0x85, 0x2028, 0x2029, 0xFEFF, 0xFFFF])
def test_characters_that_readers_disagree_on_are_refused(parser: str, code: int) -> None:
    """Control characters, and what ends a line in YAML 1.1 only; an escape stands for each."""
    (problem,) = read_document(f'a: 1\nb: "x{chr(code)}y"\n').problems
    assert (problem.line, problem.column) == (2, 6)
    assert problem.message == f"the character U+{code:04X} cannot stand in YAML as it is"
    assert read_document(f'b: "x\\u{code:04x}y"\n').data == {"b": f"x{chr(code)}y"}


def test_a_quoted_merge_sign_is_an_ordinary_key(parser: str) -> None:
    """JSON can say it, so it is a name like any other."""
    assert read_document('"<<": 1\n').data == read_document('{"<<": 1}').data == {"<<": 1}


def test_the_directive_of_yaml_1_2_is_welcome(parser: str) -> None:
    """With its comment, and with comments before it."""
    assert read_document("# c\n\n%YAML 1.2 # now\n---\na: 1\n...\n").data == {"a": 1}


def test_problems_that_reading_survives_are_told_together(parser: str) -> None:
    """One run shows all there is to repair."""
    document = read_document("a: &x 1\na: !t 2\n3: 4\n<<: {}\n")
    assert [problem.line for problem in document.problems] == [1, 2, 2, 3, 4]
    with pytest.raises(InvalidDocument) as caught:
        _ = document.data
    assert caught.value.problems == document.problems
    assert caught.value.code == "ErrInvalidModel"


SYNTAX_ERRORS = {
    "tab": ("a:\n\t- b\n", 2, 1, "tabs cannot indent"),
    "colon in text": ("a: b: c\n", 1, 5, "put in quotes"),
    "at sign": ("a: @b\n", 1, 4, "quoted"),
    "surrogates": ('a: "\\ud83d\\ude00"\n', 1, None, "write the character itself"),
    "no such character": ('a: "\\U00110000"\n', 1, None, ""),
    "escape": ('a: "\\q"\n', 1, None, "a backslash is written twice"),
    "unclosed list": ("a: [1, 2\nb: 3\n", 2, None, "brackets"),
}


@pytest.mark.parametrize(
    ("text", "line", "column", "hint"), SYNTAX_ERRORS.values(), ids=list(SYNTAX_ERRORS)
)
def test_an_error_of_syntax_has_its_place_and_a_hint(
    parser: str, text: str, line: int, column: int | None, hint: str
) -> None:
    """What no parser can read is one problem, where the parser stopped."""
    (problem,) = read_document(text).problems
    assert problem.line == line
    assert column is None or problem.column == column
    assert hint in problem.hint


_FRAGMENTS = [
    "a", "b: ", "- ", ": ", "? ", "{", "}", "[", "]", ", ", '"', "'", "\n", "\n  ", "\n    ",
    "#c", " # ", "|", ">", "-", "1", "true", "~", "&x ", "*x", "!t ", "<<", "---\n", "...\n",
    "\\n", "é", "\U0001f600", '"x"', "'y'", ".inf", " ", "\r\n", "|-\n  z", ">+\n  q",
]  # fmt: skip


@given(st.lists(st.sampled_from(_FRAGMENTS), max_size=14).map("".join))
def test_both_parsers_read_the_same(text: str) -> None:
    """One may refuse a tab that the other takes; what both read is the same, problems too."""
    fast = read_document(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr(yaml, "CSafeLoader", raising=False)
        slow = read_document(text)
    if fast.root is not None and slow.root is not None:
        assert fast.root.data == slow.root.data
        assert fast.problems == slow.problems


# JSON -----------------------------------------------------------------------------------------


def as_yaml(value: object, indent: int = 0) -> str:
    """Block style for what has members, JSON for the rest."""
    space = "  " * indent
    if isinstance(value, dict) and value:
        return "".join(
            f"\n{space}? {scalar(key)}\n{space}: {as_yaml(member, indent + 1)}"
            for key, member in value.items()
        )
    if isinstance(value, list) and value:
        return "".join(f"\n{space}- {as_yaml(member, indent + 1)}" for member in value)
    return scalar(value)


def scalar(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    awkward = ["\x7f", *map(chr, range(0x80, 0xA0)), *"\u2028\u2029\ufeff\ufffe\uffff"]
    for character in awkward:
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


@given(json_values)
def test_json_and_yaml_read_to_the_same_objects(value: object) -> None:
    """However it is written, it is the value that Python's own json reads."""
    for text in (
        json.dumps(value),
        json.dumps(value, ensure_ascii=False, indent="\t"),
        json.dumps(value, separators=(",", ":")),
    ):
        read = read_document(text, file="a.json").data
        assert json.dumps(read) == json.dumps(value)
    assert json.dumps(read_document(as_yaml(value) + "\n").data) == json.dumps(value)
    assert json.dumps(read_data(value).data) == json.dumps(value)


@given(json_objects)
def test_json_is_recognised_by_its_content(value: dict[str, object]) -> None:
    """JSON under any name is JSON, with its escapes, tabs and long keys."""
    text = json.dumps({**value, "k" * 2000: "\U0001f600/\x7f"}, indent="\t")
    text = text.replace("\U0001f600", "\\ud83d\\ude00").replace("/", "\\/")
    assert read_document(text, file="models.yaml").data == json.loads(text)


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("{a: 1}", 1, 2, "a key in double quotes was expected"),
        ('{"a": 1,}', 1, 9, "a key in double quotes was expected"),
        ('{\n  "a": 1', 2, 9, "a comma or } was expected"),
        ("[1,\n 2 3]", 2, 4, "a comma or ] was expected"),
        ('{"a" 1}', 1, 6, "a colon was expected"),
        ("[01]", 1, 3, "a comma or ] was expected"),
        ("[NaN]", 1, 2, "a value was expected"),
        ("[+1]", 1, 2, "a value was expected"),
        ("", 1, 1, "the text ends where a value was expected"),
        ("{} {}", 1, 4, "something follows the end of the document"),
        ('["a\tb"]', 1, 4, "invalid control character"),
        ('["a', 1, 2, "unterminated string starting"),
        ('["\\q"]', 1, 3, "invalid \\escape"),
        ("// c\n{}", 1, 1, "a value was expected"),
    ],
)
def test_a_json_file_is_json_and_nothing_more(
    text: str, line: int, column: int, message: str
) -> None:
    """A name that ends in .json promises JSON; other tools will read it so."""
    (problem,) = read_document(text, file="models.JSON").problems
    assert (problem.line, problem.column) == (line, column)
    assert problem.message.startswith(f"not valid JSON: {message}")
    assert ".yaml" in problem.hint


def test_what_only_looks_like_json_is_yaml() -> None:
    """A flow mapping without quotes, or with a comment, is good YAML."""
    assert read_document('{a: 1, "b": [x, 2,]} # c').data == {"a": 1, "b": ["x", 2]}


def test_json_is_refused_what_yaml_is_refused() -> None:
    """Duplicate keys, lone surrogates and numbers out of range have their places in JSON too."""
    text = '{"a": 1,\n "a": "\\ud800", "b": [1e999, 9007199254740992]}'
    assert [(line, column, path) for line, column, path, _ in told(read_document(text))] == [
        (2, 7, "a"),
        (2, 2, "a"),
        (2, 23, "b[0]"),
        (2, 30, "b[1]"),
    ]


# Encodings and limits ------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["a: é\n", '{"a": "é"}'])
def test_text_is_utf_8_with_or_without_a_mark(text: str) -> None:
    """A byte order mark is no part of the document, and moves no column."""
    assert read_document(text.encode("utf-8-sig")).data == {"a": "é"}
    assert read_document("\ufeff" + text).data == {"a": "é"}
    assert read_document(b"\xef\xbb\xbf1: 2").problems[0].column == 1


@pytest.mark.parametrize(
    ("content", "line", "column"),
    [(b"a: \xff", 1, 4), (b"a: 1\r\nb: \xc3\xa9\xe9", 2, 5), ("a: 1".encode("utf-16"), 1, 1)],
)
def test_bytes_that_are_not_utf_8_are_refused(content: bytes, line: int, column: int) -> None:
    """With the place of the first wrong byte."""
    (problem,) = read_document(content).problems
    assert (problem.line, problem.column) == (line, column)
    assert problem.hint == "save the file as UTF-8"


def test_a_surrogate_in_the_text_is_refused() -> None:
    """Python strings can hold what UTF-8 cannot."""
    (problem,) = read_document("a: 1\nb: \ud800").problems
    assert (problem.line, problem.column) == (2, 4)


@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("text", ["a: 1|b: 2|1: 3", '{"a": 1,|"b": 2,|"a": 3}'])
def test_every_line_break_counts_once(parser: str, text: str, line_break: str) -> None:
    """Editors of all systems agree with our lines."""
    (problem,) = read_document(text.replace("|", line_break)).problems
    assert (problem.line, problem.column) == (3, 1)


@pytest.mark.parametrize("opening", ["[", '{"a":', "{a: "])
def test_nesting_has_a_limit(parser: str, opening: str) -> None:
    """As deep as the limit is read; deeper is refused, and exhausts no stack."""
    closing = "]" if opening == "[" else "}"
    value = "" if opening == "[" else "1"

    def nested(depth: int) -> Document:
        return read_document(opening * depth + value + closing * depth)

    assert not nested(limits.DEPTH_MAX).problems
    for depth in (limits.DEPTH_MAX + 1, 100_000):
        (problem,) = nested(depth).problems
        assert "nested more than 64 deep" in problem.message


def test_the_number_of_values_has_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Many short values cost memory that the size of the file does not show."""
    monkeypatch.setattr("keypact.schema.reading.NODES_MAX", 3)
    assert read_document("[1, 2]").data == [1, 2]
    for text in ("[1, 2, 3]", "- 1\n- 2\n- 3"):
        (problem,) = read_document(text).problems
        assert "more than 3 values" in problem.message


def test_the_size_has_a_limit() -> None:
    """A byte more than the limit is refused before anything is parsed."""
    text = "a: " + "x" * (limits.DOCUMENT_BYTES_MAX - 3)
    assert len(read_document(text).data["a"]) == limits.DOCUMENT_BYTES_MAX - 3
    (problem,) = read_document(text + "x").problems
    assert "4,194,304 bytes" in problem.message


# Places and files -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "models:\n  - name: A\n    indexes:\n      - partition: {attribute: x}\n",
        '{"models":\n  [{"name": "A",\n    "indexes":\n    [{"partition": {"attribute": "x"}}]}]}',
    ],
    ids=["YAML", "JSON"],
)
def test_every_value_knows_its_place(text: str) -> None:
    """A path leads to a node with line and column; one that ends early, to the last there is."""
    document = read_document(text)
    partition = document.at("models[0].indexes[0].partition")
    assert partition.place == (4, 20)
    assert partition.path == "models[0].indexes[0].partition"
    assert partition.data == {"attribute": "x"}
    assert document.at("models[0].indexes[0].sort.type").path == "models[0].indexes[0]"
    assert document.at("models[7]").path == "models"
    assert document.at("").data == document.data


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=10) | st.integers(0, 99)))
def test_a_path_names_one_way(steps: list[str | int]) -> None:
    """Whatever keys are called, a path splits into the steps it was made of."""
    from keypact.schema.document import join_path, split_path

    assert split_path(join_path(steps)) == steps


@pytest.mark.parametrize("path", ["a..b", "[x]", "a[1", 'a["b]', "a b"])
def test_what_is_no_path_is_refused(path: str) -> None:
    """Asking for a place nobody can mean is the caller's mistake."""
    with pytest.raises(ValueError, match="not a path"):
        read_document("a: 1").at(path)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """The message has the path and the system's reason."""
    for path, reason in (
        (tmp_path / "none.yaml", "No such file"),
        (tmp_path, "directory"),
        (tmp_path / "a\0b", "null byte"),
    ):
        with pytest.raises(InvalidDocument, match=reason) as caught:
            read_file(path)
        assert str(path) in str(caught.value)
        assert caught.value.problems[0].file == str(path)


def test_data_that_is_no_json_is_refused() -> None:
    """A document of plain data holds what JSON holds; the path says where it does not."""
    document = read_data({"a": [b"x"], 1: 2, "b": float("nan"), "c": 2**60, "d": "\ud800"})
    assert [(one.path, one.line) for one in document.problems] == [
        ("a[0]", 0), ("", 0), ("b", 0), ("c", 0), ("d", 0),
    ]  # fmt: skip


def test_data_that_contains_itself_is_refused() -> None:
    """It is deeper than any limit."""
    data: list[object] = []
    data.append(data)
    assert "nested" in read_data(data).problems[0].message
