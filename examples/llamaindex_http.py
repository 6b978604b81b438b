# pip install llama-index-core llama-index-retrievers-bm25; python llamaindex_http.py [PORT]
import json, pathlib, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from llama_index.core import Settings
from llama_index.core.llms import MockLLM
from llama_index.core.query_engine import RetrieverQueryEngine
from llama_index.core.schema import TextNode
from llama_index.retrievers.bm25 import BM25Retriever
files = pathlib.Path(__file__).with_name("docs").glob("*.md")
nodes = [TextNode(text=part, id_=part[:20]) for file in sorted(files) for part in file.read_text("utf-8").split("\n\n")]
Settings.llm = MockLLM()  # your OpenAI(...), and then no response_mode below
retriever = BM25Retriever.from_defaults(nodes=nodes, similarity_top_k=3)
engine = RetrieverQueryEngine.from_args(retriever, response_mode="context_only")
class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        result = engine.query(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["question"])
        contexts = [{"text": one.text, "id": one.node_id, "score": float(one.score)} for one in result.source_nodes]
        self.send_response(200), self.end_headers()
        self.wfile.write(json.dumps({"answer": str(result), "contexts": contexts}).encode())
ThreadingHTTPServer(("127.0.0.1", int((sys.argv + [8081])[1])), Handler).serve_forever()
