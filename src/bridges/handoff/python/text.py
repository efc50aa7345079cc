# How answers are read, whatever the task. Python's own `\d`, `\s` and `strip` are what these rules are written in.

JS_SPACE = "\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def units(text):
    """Length in UTF-16 units, in which limits are given."""
    return len(text) + sum(1 for character in text if ord(character) > 0xFFFF)


def canonical_integer(text):
    """Canonical decimal of what `-?\\d+` matched, of any length: ASCII digits, no leading zeros, no "-0"."""
    negative = text.startswith("-")
    digits = "".join(str(unicodedata.decimal(digit)) for digit in text.lstrip("-")).lstrip("0") or "0"
    return f"-{digits}" if negative and digits != "0" else digits


def last_integer(text):
    found = re.findall(r"-?\d+", text)
    return canonical_integer(found[-1]) if found else None


def ending_fault(ending, settings):
    """Whether a completion did not come to an end that the form counts."""
    return not (ending == "stop" or (ending == "eos" and not settings["require_stop_string"]))


def right_pieces(work, worked):
    """Share of the worked steps' pieces, parted by spaces, that stand at their place of their line."""
    lines = [[piece for piece in line.split(" ") if piece] for line in worked.split("\n")]
    given = [[piece for piece in line.split(" ") if piece] for line in work.split("\n")]
    if len(given) > len(lines):
        return 0
    right = total = 0
    for i, pieces in enumerate(lines):
        line = given[i] if i < len(given) else []
        total += len(pieces)
        if len(line) <= len(pieces):
            right += sum(1 for piece, wanted in zip(line, pieces) if piece == wanted)
    return right / total if total else 0
