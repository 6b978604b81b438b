# pip install langchain-community rank-bm25; python langchain_http.py [PORT]
import json, pathlib, re, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from langchain_community.retrievers import BM25Retriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough

files = pathlib.Path(__file__).with_name("docs").glob("*.md")
texts = [part for file in sorted(files) for part in file.read_text("utf-8").split("\n\n")]
retriever = BM25Retriever.from_texts(texts, k=3, preprocess_func=lambda text: re.findall(r"\w+", text.lower()))
answer = RunnableLambda(lambda x: x["documents"][0].page_content)  # or: prompt | ChatOpenAI() | StrOutputParser()
chain = RunnablePassthrough.assign(documents=lambda x: retriever.invoke(x["question"])).assign(answer=answer)

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = json.dumps(chain.invoke(asked), default=lambda document: document.model_dump())
        self.send_response(200)
        self.end_headers()
        self.wfile.write(reply.encode())
ThreadingHTTPServer(("127.0.0.1", int((sys.argv + [8080])[1])), Handler).serve_forever()
