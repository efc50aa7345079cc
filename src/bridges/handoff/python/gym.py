# Tasks after reasoning-gym's datasets: what stands between the answer tags is scored by reasoning-gym, the form and the steps here.

GYM_SECONDS = 5


@contextlib.contextmanager
def at_most(seconds):
    """Ends what takes longer, in the main thread: no other is sent signals, and Windows has none."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "SIGALRM"):
        yield
        return

    def stop(*_):
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@functools.lru_cache(maxsize=None)
def gym_score_of(name):
    return reasoning_gym.get_score_answer_fn(name)


def gym_score(answer, problem, name):
    score = gym_score_of(name)
    try:
        with at_most(GYM_SECONDS):
            return score(answer, {"question": "", "answer": problem["answer"], "metadata": problem["data"]})
    except Exception:
        # An answer at which reasoning-gym raises earns nothing, and the run goes on.
        return 0


def work_of(text, think):
    """What stands in front of the answer, or in the thought that was asked for."""
    ends = ["</think>"] if think else ["<answer>", "Answer:"]
    places = [text.find(end) for end in ends if end in text]
    work = text[: min([len(text), *places])].strip()
    return work[len("<think>") :].strip() if think and work.startswith("<think>") else work


def grade_gym(text, problem, task, ending, tokens):
    settings = task["settings"]
    answer = tagged_answer(text)
    accuracy = 0 if answer is None else gym_score(answer, problem, task["task"])
    if task["mode"] == "strict":
        form = 1 if in_form(text) else 0
    else:
        form = sum(1 for tag in FORM_TAGS if tag in text) / 4
    parts = {"accuracy": accuracy, "format": settings["format_weight"] * form}
    weight = settings.get("step_weight", 0)
    if weight != 0:
        parts["steps"] = weight * right_pieces(work_of(text, problem.get("think", False)), problem["steps"])
    return parts, accuracy >= 1, form == 1
