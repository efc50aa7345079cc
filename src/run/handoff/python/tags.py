# Tasks after reasoning-gym's datasets: the answer between <answer> tags, its score, and what the form earns.

FORM_TAGS = ("<think>", "</think>", "<answer>", "</answer>")


def tagged_answer(text):
    """Text of the last <answer> … </answer>, pairs found from the left; None without one."""
    last, at = None, 0
    while True:
        start = text.find("<answer>", at)
        end = -1 if start < 0 else text.find("</answer>", start + len("<answer>"))
        if end < 0:
            return None if last is None else last.strip()
        last = text[start + len("<answer>") : end]
        at = end + len("</answer>")


def in_form(text):
    """One <answer>, something in it, only whitespace behind it; a <think>, where there is one, whole and before it."""
    thinks, unthinks, opens, closes = (text.count(tag) for tag in FORM_TAGS)
    if opens != 1 or closes != 1 or thinks != unthinks or thinks > 1:
        return False
    places = [text.find(tag) for tag in FORM_TAGS if tag in text]
    if places != sorted(places):
        return False
    if text[text.find("</answer>") + len("</answer>") :].strip() != "":
        return False
    return tagged_answer(text) != ""


def work_of(text, think):
    """What stands in front of the answer, or in the thought that was asked for."""
    ends = ["</think>"] if think else ["<answer>", "Answer:"]
    places = [text.find(end) for end in ends if end in text]
    work = text[: min([len(text), *places])].strip()
    return work[len("<think>") :].strip() if think and work.startswith("<think>") else work


def grade_tagged(text, problem, task, ending, tokens):
    settings, mode = task["settings"], task["mode"]
    answer = tagged_answer(text)
    accuracy = 0 if answer is None else SCORES[task["score"]](answer, problem["answer"], problem["data"], mode)
    if mode == "strict":
        form = 1 if in_form(text) else 0
    else:
        form = sum(1 for tag in FORM_TAGS if tag in text) / 4
    parts = {"accuracy": accuracy, "format": settings["format_weight"] * form}
    weight = settings.get("step_weight", 0)
    if weight != 0:
        parts["steps"] = weight * right_pieces(work_of(text, problem.get("think", False)), problem["steps"])
    return parts, accuracy >= 1, form == 1


SCORES = {
    "text": lambda given, truth, data, mode: text_score(given, truth, mode),
    "decimal": lambda given, truth, data, mode: decimal_score(given, truth, mode),
}
