"""A judge without a model, for `ragas_conformance.py`: it answers the prompts of RAGAS 0.4.3 and those of
ragmeter's profile `split` by the same rules, so that what differs between the two tools is their own doing.

Rules, all over stems (the first five letters of words longer than two letters, lower case):
- the statements of a text are its sentences, cut after . ! or ? and a blank; a refusal has none;
- a premise says a statement if it holds at least half of the statement's stems;
- a context is useful if it holds at least a quarter of the stems of the answer it is judged by;
- the implied question is the answer's first sentence with a question mark, and a refusal is noncommittal;
- entities are words that begin with a capital or a digit;
- a grade goes by the share of stems that two texts have in common.
Refusals are known by heart (the planted ones). Vectors are hashed bags of stems with signs, 256 numbers.

With an upstream address chat goes to the model there instead; vectors stay here, so both tools share them.
"""

import hashlib
import http.server
import json
import re
import threading
import urllib.request

# Most tokens of a forwarded reply.
LONGEST = 1024
ASKED = "Now perform the same with the following input\ninput: "


def stems(text):
    return {word[:5] for word in re.findall(r"\w+", text.lower()) if len(word) > 2}


def share(part, whole):
    """The share of the stems of `part` that `whole` holds; 0 for a text without stems."""
    wanted = stems(part)
    return len(wanted & stems(whole)) / len(wanted) if wanted else 0.0


def sentences(text):
    return [piece for piece in re.split(r"(?<=[.!?])\s+", text.strip()) if piece]


def entities(text):
    return sorted({word for word in re.findall(r"\w+", text) if word[0].isupper() or word[0].isdigit()})


def says(premise, statement):
    return share(statement, premise) >= 0.5


def useful(context, answer):
    return share(answer, context) >= 0.25


def grade(part, whole, steps):
    """The grade 0, 1 or 2 of how much of `part` is in `whole`, as the element of `steps` that stands there."""
    held = share(part, whole)
    return steps[2 if held >= 0.8 else 1 if held >= 0.4 else 0]


def vector(text):
    numbers = [0.0] * 256
    for stem in sorted(stems(text)):
        digest = hashlib.sha256(stem.encode()).digest()
        numbers[digest[0]] += 1.0 if digest[1] % 2 else -1.0
    return numbers if any(numbers) else [1.0] + [0.0] * 255


class Judge:
    """The rules over one set of prompts: `prompts` maps the first line of a system prompt to its folder's name."""

    def __init__(self, prompts, refusals):
        self.prompts = prompts
        self.refusals = refusals
        self.unknown = []

    def statements(self, text):
        return [] if text.strip() in self.refusals else sentences(text)

    def question(self, answer):
        first = (sentences(answer) or ["…"])[0].rstrip(".!?")
        return first + "?", answer.strip() in self.refusals

    def reply(self, messages):
        """The text of the reply, a number or JSON."""
        text = messages[-1]["content"]
        if ASKED in text:
            given = json.JSONDecoder().raw_decode(text.rsplit(ASKED, 1)[1])[0]
            return json.dumps(self.ragas(given, text), ensure_ascii=False)
        system = messages[0]["content"].strip().split("\n")[0]
        if system in self.prompts:
            return json.dumps(self.split(self.prompts[system], text), ensure_ascii=False)
        return self.rating(text)

    def ragas(self, given, text):
        """The reply to a prompt of RAGAS, told by the names in its input and its schema."""
        if "statements" in given:
            return {"statements": [
                {"statement": s, "reason": "stems", "verdict": int(says(given["context"], s))}
                for s in given["statements"]]}
        if "ground_truth" in given:
            answer, truth = given["answer"], given["ground_truth"]
            listed = lambda items: [{"statement": s, "reason": "stems"} for s in items]
            return {"TP": listed(s for s in answer if says(" ".join(truth), s)),
                    "FP": listed(s for s in answer if not says(" ".join(truth), s)),
                    "FN": listed(s for s in truth if not says(" ".join(answer), s))}
        if "response" in given and '"noncommittal"' in text:
            question, declines = self.question(given["response"])
            return {"question": question, "noncommittal": int(declines)}
        if "response" in given:
            return {"claims": self.statements(given["response"])}
        if "context" in given and '"classifications"' in text:
            return {"classifications": [
                {"statement": s, "reason": "stems", "attributed": int(says(given["context"], s))}
                for s in sentences(given["answer"])]}
        if "context" in given:
            return {"reason": "stems", "verdict": int(useful(given["context"], given["answer"]))}
        if "question" in given:
            return {"statements": self.statements(given["answer"])}
        return {"entities": entities(given["text"])}

    def split(self, prompt, text):
        """The reply to a prompt of ragmeter, from the texts inside the tags of its user part."""
        one = lambda tag: re.search(rf"<{tag}(?: [^>]*)?>\n?(.*?)\n?</{tag}>", text, re.S)[1]
        many = lambda tag: [(int(i), body.strip()) for i, body in
                            re.findall(rf'<{tag} id="(\d+)">(.*?)</{tag}>', text, re.S)]
        contexts = many("context")
        joined = "\n".join(body for _, body in contexts)
        verdict = lambda premise, s: "supported" if says(premise, s) else "absent"
        if prompt == "claims":
            return {"claims": [{"text": s, "span": s} for s in self.statements(one("answer"))]}
        if prompt == "reference_claims":
            return {"claims": self.statements(one("reference"))}
        if prompt == "refusal":
            return {"kind": "refused" if one("answer").strip() in self.refusals else "answered"}
        if prompt == "verify":
            return {"verdicts": [{"claim": i, "quote": "", "contexts": [], "verdict": verdict(joined, s)}
                                 for i, s in many("claim")]}
        if prompt == "correct":
            return {"verdicts": [{"claim": i, "quote": "", "verdict": verdict(one("reference"), s)}
                                 for i, s in many("claim")]}
        if prompt == "covered":
            return {"sentences": [{"sentence": i, "quote": "", "verdict": verdict(one("answer"), s)}
                                  for i, s in many("sentence")]}
        if prompt == "attribution":
            return {"sentences": [{"sentence": i, "contexts": [], "attributable": says(joined, s)}
                                  for i, s in many("sentence")]}
        if prompt == "useful":
            return {"reason": "stems", "useful": useful(joined, one("reference"))}
        if prompt == "invert":
            question, declines = self.question(one("answer"))
            count = int(re.search(r"(\d+)\s*$", text)[1])
            return {"noncommittal": declines, "questions": [question] * count}
        if prompt == "entities":
            return {"entities": entities(one("text"))}
        if prompt == "groundedness":
            return {"reason": "stems", "grade": grade(one("answer"), joined, (0, 1, 2))}
        if prompt == "accuracy":
            return {"reason": "stems", "grade": alike(one("first"), one("second"))}
        self.unknown.append(prompt)
        return {}

    def rating(self, text):
        """The digit that RAGAS's prompts in plain text ask for."""
        if found := re.search(r"User Answer: (.*?)\n+(?:### )?Reference Answer: (.*?)\n", text, re.S) \
                or re.search(r"Reference Answer: (.*?)\n+(?:### )?User Answer: (.*?)\n", text, re.S):
            return str(alike(found[1], found[2]))
        context, answer = (re.search(rf"{name}:(?:\*\*)?\n[<\[](.*?)[>\]]\n\n", text + "\n\n", re.S)
                           or re.search(rf"{name}:(?:\*\*)?\n[<\[](.*?)[>\]]", text, re.S)
                           for name in ("Context", "Assertion"))
        if context and answer:
            return str(grade(answer[1], context[1], (0, 1, 2)))
        self.unknown.append(text[:80])
        return "0"


def alike(first, second):
    """How much of the first text the second holds, so that the order counts, as it does with judges."""
    held = share(first, second)
    return 4 if held >= 0.6 else 2 if held >= 0.2 else 0


def serve(judge, upstream=None):
    """Starts the endpoint on a free port and gives its address, up to and with /v1."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path.endswith("/embeddings"):
                texts = [asked["input"]] if isinstance(asked["input"], str) else asked["input"]
                reply = {"object": "list", "model": asked["model"],
                         "data": [{"object": "embedding", "index": i, "embedding": vector(t)}
                                  for i, t in enumerate(texts)],
                         "usage": {"prompt_tokens": 1, "total_tokens": 1}}
            elif upstream:
                reply = forward(upstream, asked)
            else:
                text = judge.reply(asked["messages"])
                reply = completion(asked, [text] * asked.get("n", 1))
            body = json.dumps(reply, ensure_ascii=False).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/v1"


def completion(asked, texts, finishes=None):
    return {"id": "c", "object": "chat.completion", "created": 0, "model": asked["model"],
            "choices": [{"index": i, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
                        for i, (text, finish) in enumerate(zip(texts, finishes or ["stop"] * len(texts)))],
            "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


def forward(upstream, asked):
    """Asks the model; n replies are n requests, since small servers give one.

    A small model can repeat itself until its window is full and hold up every call behind it, so a reply is cut
    for both tools alike, and they are told that it was.
    """
    texts, finishes = [], []
    count = asked.pop("n", None) or 1
    for key in ("max_tokens", "max_completion_tokens"):
        asked.pop(key, None)
    asked |= {"max_tokens": LONGEST, "stream": False}
    for _ in range(count):
        request = urllib.request.Request(upstream + "/chat/completions", json.dumps(asked).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=900) as answer:
            choice = json.load(answer)["choices"][0]
        texts.append(choice["message"]["content"] or "")
        finishes.append(choice["finish_reason"])
    return completion(asked, texts, finishes)
