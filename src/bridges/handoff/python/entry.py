# What each trainer calls.


def grade(text, part, problem, ending="stop", tokens=()):
    """{"total", "parts", "correct", "format"} of an answer. `part`: which of TASKS; `ending`: "stop" (as the chat template ends an
    answer), "eos" (by another stop token) or "max_tokens" (cut). `tokens`: its ids, where they are known."""
    task = TASKS[part]
    parts, correct, form = globals()[task["grade"]](text, problem, task, ending, list(tokens))
    return {"total": sum(parts.values()), "parts": parts, "correct": bool(correct), "format": bool(form)}


def answer_text(text):
    """What is scored of a completion: the text before a stop string and behind a thought."""
    if READING["without_thoughts"]:
        _, mark, behind = text.rpartition("</think>")
        if mark:
            text = behind.lstrip("\n")
        elif READING["begins_in_thought"] or "<think>" in text:
            text = ""
    places = [text.find(stop) for stop in READING["stop_strings"] if stop in text]
    return text[: min(places)] if places else text


def ending_of(tokens):
    if not tokens or tokens[-1] not in READING["stop_tokens"]:
        return "max_tokens"
    return "stop" if READING["turn_end"] in (None, tokens[-1]) else "eos"


def content(completion):
    return completion if isinstance(completion, str) else completion[-1]["content"] or ""


def reward(prompts, completions, completion_ids, part, problem, **_):
    """For TRL: the reward of each completion."""
    rows = zip(completions, completion_ids, part, problem)
    return [
        grade(answer_text(content(completion)), which, json.loads(row), ending_of(ids), ids)["total"]
        for completion, ids, which, row in rows
    ]


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **_):
    """For verl, which says no tokens: an answer counts as ended by itself."""
    row = json.loads(ground_truth)
    result = grade(answer_text(solution_str), row["part"], row["problem"])
    return {"score": result["total"], "correct": float(result["correct"]), "format": float(result["format"])}


if __name__ == "__main__":
    # Lines of {"part", "problem", "text", "ending", "tokens"} in, the rewards out; what libraries print does not stand between them.
    rewards, sys.stdout = sys.stdout, sys.stderr
    for line in sys.stdin:
        row = json.loads(line)
        print(json.dumps(grade(row["text"], row["part"], row["problem"], row["ending"], row["tokens"])), file=rewards)
