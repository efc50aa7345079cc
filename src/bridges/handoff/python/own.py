# Tasks of the user's own, by the graders that compare texts.


def same_text(given, truth, grader):
    def normal(text):
        spaced = re.sub(rf"[{JS_SPACE}]+", " ", text.strip()) if grader["ignoreSpace"] else text
        return unicodedata.normalize("NFC", spaced.lower() if grader["ignoreCase"] else spaced)

    return normal(given) == normal(truth)


def own_parts(correct, form, task):
    return {"accuracy": int(correct), "format": task["settings"]["format_weight"] if form else 0}, correct, form


def grade_own_exact(text, problem, task, ending, tokens):
    return own_parts(same_text(text, problem["answer"], task["grader"]), text.strip() != "", task)


DECIMAL = re.compile(
    r"([-+\u2212\u2013]?)[$\u20ac\u00a3\u00a5]?([-+\u2212\u2013]?)([0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.([0-9]*))?"
)


def canonical_decimal(text):
    """The same text for the same decimal number with commas and a currency sign; None for any other text."""
    found = DECIMAL.fullmatch(text.strip())
    if not found or (found.group(1) and found.group(2)):
        return None
    whole = found.group(3).replace(",", "").lstrip("0") or "0"
    decimals = (found.group(4) or "").rstrip("0")
    digits = f"{whole}.{decimals}" if decimals else whole
    return f"-{digits}" if found.group(1) + found.group(2) not in ("", "+") and digits != "0" else digits


def grade_own_answer_tag(text, problem, task, ending, tokens):
    grader, truth = task["grader"], problem["answer"]
    found = tagged_answer(text) if grader["ignoreSpace"] else bare_tagged_answer(text)
    number = None if found is None else canonical_decimal(found)
    same = number is not None and number == canonical_decimal(truth)
    return own_parts(same or (found is not None and same_text(found, truth, grader)), in_form(text), task)


def bare_tagged_answer(text):
    """As `tagged_answer`, but of the whitespace one character at each end goes."""
    found = re.findall(r"<answer>([\s\S]*?)</answer>", text)
    if not found:
        return None
    bare = found[-1][1:] if found[-1][:1].isspace() else found[-1]
    return bare[:-1] if bare[-1:].isspace() else bare
