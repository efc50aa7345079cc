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


def grade_own_answer_tag(text, problem, task, ending, tokens):
    grader = task["grader"]
    found = tagged_answer(text) if grader["ignoreSpace"] else bare_tagged_answer(text)
    return own_parts(found is not None and same_text(found, problem["answer"], grader), in_form(text), task)


def bare_tagged_answer(text):
    """As `tagged_answer`, but of the whitespace one character at each end goes."""
    found = re.findall(r"<answer>([\s\S]*?)</answer>", text)
    if not found:
        return None
    bare = found[-1][1:] if found[-1][:1].isspace() else found[-1]
    return bare[:-1] if bare[-1:].isspace() else bare
