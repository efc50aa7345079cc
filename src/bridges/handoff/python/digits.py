# The digit tasks: answers found by the rules of the Monarch digit experiment.

ANSWER_TAG = "[ANSWER]"
ANSWER_PLACES = (
    re.compile(r"\[ANSWER\]\s*(-?\d+)"),
    re.compile(r"(?:answer is|answer:)\s*(-?\d+)", re.IGNORECASE),
    re.compile(r"=\s*(-?\d+)(?=(?:\.\s*|\s*)(?:the answer|\Z))", re.IGNORECASE),
)


def digits_answer(text):
    """The last match of the first rule that matches: tag, phrase, "=" before the end, last number."""
    for place in ANSWER_PLACES:
        found = place.findall(text)
        if found:
            return canonical_integer(found[-1])
    return last_integer(text)


def js_number(text):
    """JavaScript's `Number(text)`."""
    bare = text.strip(JS_STRIPPED)
    if bare == "":
        return 0
    for prefix, base, digits in (("0x", 16, r"[0-9a-fA-F]+"), ("0o", 8, r"[0-7]+"), ("0b", 2, r"[01]+")):
        if bare[:2].lower() == prefix:
            return int(bare[2:], base) if re.fullmatch(digits, bare[2:]) else math.nan
    if re.fullmatch(r"[+-]?Infinity", bare):
        return -math.inf if bare[0] == "-" else math.inf
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", bare) is None:
        return math.nan
    return float(bare)


JS_STRIPPED = "\t\n\v\f\r \u00a0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff" + "".join(chr(code) for code in range(0x2000, 0x200B))


def js_text(number):
    """JavaScript's text of a number, for those that a sum of digits can be."""
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == int(number) and abs(number) < 1e21:
        return str(int(number))
    return repr(float(number))


def right_sums(text, numbers):
    """Share of the running sums on the first line that follow from the digits and the sum before."""
    digits = [int(digit) for digit in "".join(str(number) for number in numbers)]
    steps = text.split("\n", 1)[0].split(" + ")
    if len(steps) > len(digits):
        return 0
    before, right = 0, 0
    for i, step in enumerate(steps):
        pieces = step.split(" = ")
        digit, stated = pieces[0], pieces[1] if len(pieces) > 1 else pieces[0]
        if digit == str(digits[i]) and stated == js_text(before + js_number(digit)):
            right += 1
        before = js_number(stated)
    return right / len(digits)


def right_digits(text, number):
    """Share of the digits on the first line that stand in their place."""
    truth = str(number)[::-1]
    digits = text.split("\n", 1)[0].split(" ")
    if len(digits) > len(truth):
        return 0
    return sum(1 for digit, wanted in zip(digits, truth) if digit == wanted) / len(truth)


def score_digits(text, problem, task, steps):
    settings = task["settings"]
    correct = digits_answer(text) == problem["answer"]
    form = ANSWER_TAG in text
    rule = settings["reward_rule"]
    if rule == "keyword":
        parts = {"keyword": 1 if form else -1}
    elif rule == "length":
        # In UTF-16 units, as JavaScript counts.
        parts = {"length": 2 * min(1, len(text.encode("utf-16-le", "surrogatepass")) / 2 / 96) - 1}
    elif rule == "other_form":
        parts = {"correct": 1 if correct and not form else -1}
    else:
        parts = {"correct": 1 if correct else -1}
        if rule == "tag_required":
            parts["format"] = -2 if correct and not form else 0
    if settings["step_weight"] != 0:
        parts["steps"] = settings["step_weight"] * steps()
    return parts, correct, form


def grade_sum_digits(text, problem, task, ending, tokens):
    return score_digits(text, problem, task, lambda: right_sums(text, problem["data"]["numbers"]))


def grade_reverse_digits(text, problem, task, ending, tokens):
    return score_digits(text, problem, task, lambda: right_digits(text, problem["data"]["number"]))


def grade_clean_digits(text, problem, task, ending, tokens):
    """±1, and a bonus for a right answer that ends in the one tag."""
    correct = digits_answer(text) == problem["answer"]
    clean = text.count(ANSWER_TAG) == 1 and re.fullmatch(r"\s*-?\d+\s*", text.split(ANSWER_TAG, 1)[1]) is not None
    settings = task["settings"]
    parts = {"correct": 1 if correct else -1, "clean": settings["clean_bonus"] if correct and clean else 0}
    if settings["step_weight"] != 0:
        parts["steps"] = settings["step_weight"] * right_sums(text, problem["data"]["numbers"])
    return parts, correct, clean
