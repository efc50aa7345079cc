# Answers in a box, compared by math-verify.

MATH_LONGEST_ANSWER = 20_000
MATH_SECONDS = 5


def boxed_answer(text):
    """Contents of the box whose closing brace comes last; without a braced one the word behind the first \\boxed."""
    openings, boxed = [], None
    for at, character in enumerate(text):
        if character == "{":
            openings.append(at)
        elif character == "}":
            if not openings:
                return None
            opening = openings.pop()
            if text.endswith("\\boxed", 0, opening):
                boxed = text[opening + 1 : at]
    if boxed is not None:
        return boxed
    found = re.search(r"\\boxed\s+([a-zA-Z0-9]+)", text)
    return found.group(1) if found else None


def same_answer(answer, gold):
    if answer is None or len(answer) > MATH_LONGEST_ANSWER:
        return False
    # math-verify's limits are signals, which the main thread alone is sent.
    limit = MATH_SECONDS if threading.current_thread() is threading.main_thread() else None
    wanted, given = (math_verify.parse(f"\\boxed{{{text}}}", parsing_timeout=limit) for text in (gold, answer))
    return math_verify.verify(wanted, given, timeout_seconds=limit)


def grade_boxed(text, problem, task, ending, tokens):
    answer = boxed_answer(text)
    correct = same_answer(answer, problem["answer"])
    form = answer is not None and not ending_fault(ending, task["settings"])
    return {"correct": 1 if correct else 0, "format": 0 if form else -task["settings"]["format_weight"]}, correct, form


def grade_own_boxed(text, problem, task, ending, tokens):
    answer = boxed_answer(text)
    return own_parts(same_answer(answer, problem["answer"]), answer is not None, task)
