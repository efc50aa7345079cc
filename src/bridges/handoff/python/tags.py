# The answer between <answer> tags, and whether an answer has their form.

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
