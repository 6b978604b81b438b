"""Writes the binary fixtures beside it, and those that other tools' own code shall write.

    pip install pandas pyarrow openpyxl reportlab python-docx pypdf pillow
    python make.py            # DejaVu Sans must be installed (fonts-dejavu-core)

Versions used: pandas 2/3, pyarrow 2x, openpyxl 3.1, reportlab 4, python-docx 1.2, pypdf 6.
"""

import datetime
import io
import os
import re
import zipfile

import docx
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from docx.enum.style import WD_STYLE_TYPE
from PIL import Image, ImageDraw, ImageFont
from pypdf import PdfReader, PdfWriter
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen import canvas

HERE = os.path.dirname(os.path.abspath(__file__))
FONT = "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"
pdfmetrics.registerFont(TTFont("DejaVu", FONT))


def path(name):
    return os.path.join(HERE, name)


# --- PDF ---------------------------------------------------------------------------------------

LEFT = [
    "Причал построен из дуба в 1704 году.",
    "Доски меняют каждые двенадцать лет, по-",
    "этому они не гниют и держат большие",
    "грузы. Зимой причал закрыт для судов.",
]
RIGHT = [
    "Маяк зажигают за час до заката солнца.",
    "Его свет виден с моря за двадцать две",
    "мили. Смотритель живёт в доме рядом и",
    "каждое утро протирает стёкла фонаря.",
]
TABLE = [("Порт", "Глубина", "Кранов"), ("Онега", "7 м", "3"), ("Кемь", "5 м", "1"), ("Выборг", "9 м", "6")]


def running(page, number):
    page.setFont("DejaVu", 8)
    page.drawString(60, 810, "Справочник портов Севера")
    page.drawRightString(535, 30, f"Страница {number}")


def harbour():
    """Three pages: two columns under a heading, a table, and a paragraph over the page's end."""
    page = canvas.Canvas(path("harbour.pdf"), pagesize=A4, invariant=1)
    page.setTitle("Лоция Белого моря")
    running(page, 1)
    page.setFont("DejaVu", 18)
    page.drawString(60, 760, "Причалы и маяки северных портов")
    page.setFont("DejaVu", 10)
    # Line by line across both columns, as some programs write them.
    for n, (left, right) in enumerate(zip(LEFT, RIGHT)):
        page.drawString(60, 720 - 14 * n, left)
        page.drawString(320, 720 - 14 * n, right)
    page.showPage()
    running(page, 2)
    page.setFont("DejaVu", 14)
    page.drawString(60, 760, "Глубины")
    page.setFont("DejaVu", 10)
    for n, row in enumerate(TABLE):
        for x, cell in zip((60, 220, 380), row):
            page.drawString(x, 730 - 18 * n, cell)
    page.drawString(60, 620, "Глубины измерены летом, когда вода стоит")
    page.showPage()
    running(page, 3)
    page.setFont("DejaVu", 10)
    page.drawString(60, 760, "выше всего, и проверены осенью.")
    page.drawString(60, 730, "Причалы и маяки " + "." * 40 + " 1")
    page.drawString(60, 700, "Тару B-")
    page.drawString(60, 686, "образной формы крепят цепью.")
    page.showPage()
    page.save()


def scan(text):
    image = Image.new("L", (500, 300), 255)
    ImageDraw.Draw(image).text((30, 120), text, fill=0, font=ImageFont.truetype(FONT, 22))
    return ImageReader(image)


def scanned():
    """A text page, a scanned page, a blank page and a text page; and a file of scans only."""
    page = canvas.Canvas(path("mixed.pdf"), pagesize=A4, invariant=1)
    page.setFont("DejaVu", 11)
    page.drawString(60, 760, "Договор хранения заключён на пять лет.")
    page.showPage()
    page.drawImage(scan("Подписи сторон"), 40, 400, 500, 300)
    page.showPage()
    page.showPage()
    page.setFont("DejaVu", 11)
    page.drawString(60, 760, "Приложение описывает склад у причала.")
    page.showPage()
    page.save()
    page = canvas.Canvas(path("scans.pdf"), pagesize=A4, invariant=1)
    for n in (1, 2):
        page.drawImage(scan(f"Лист {n}"), 40, 400, 500, 300)
        page.showPage()
    page.save()


def locked():
    writer = PdfWriter()
    writer.append(PdfReader(path("mixed.pdf")))
    writer.encrypt("секрет", algorithm="RC4-128")
    with open(path("locked.pdf"), "wb") as file:
        writer.write(file)


def broken():
    """Letters whose map leads to private characters; a drawing that contains itself."""
    data = open(path("harbour.pdf"), "rb").read()
    reader = PdfReader(io.BytesIO(data))
    writer = PdfWriter(clone_from=reader)
    for object in writer._objects:
        if hasattr(object, "get_data") and b"beginbfchar" in object.get_data():
            text = re.sub(rb"<(..)> <....>", rb"<\1> <E0\1>", object.get_data())
            object.set_data(text)
    with open(path("garbage.pdf"), "wb") as file:
        writer.write(file)
    parts = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 /MediaBox [0 0 200 200] >>",
        b"<< /Type /Page /Parent 2 0 R /Contents 5 0 R /Resources << /XObject << /F 4 0 R >> >> >>",
        b"<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /F 4 0 R >> >> /Length 5 >>\nstream\n/F Do\nendstream",
        b"<< /Length 5 >>\nstream\n/F Do\nendstream",
    ]
    out, offsets = b"%PDF-1.4\n", []
    for n, part in enumerate(parts, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (n, part)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(parts) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(parts) + 1, start)
    open(path("circle.pdf"), "wb").write(out)


# --- DOCX --------------------------------------------------------------------------------------

FOOTNOTES = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:separator/></w:r></w:p></w:footnote>
<w:footnote w:id="1"><w:p><w:r><w:t>Сухой вес без такелажа.</w:t></w:r></w:p></w:footnote>
</w:footnotes>"""


def word():
    document = docx.Document()
    document.core_properties.title = "Памятка боцману"
    document.core_properties.created = document.core_properties.modified = datetime.datetime(2026, 1, 2)
    document.styles.add_style("toc 1", WD_STYLE_TYPE.PARAGRAPH)
    document.add_paragraph("Якоря……1", style="toc 1")
    document.add_heading("Якоря", level=1)
    document.add_paragraph("Становой якорь весит 900 кг.@ Его отдают только по команде.")
    document.add_heading("Порядок отдачи", level=2)
    for text in ("Проверить стопор.", "Снять чехол."):
        document.add_paragraph(text, style="List Number")
    document.add_paragraph("чехол хранят на баке", style="List Bullet 2")
    table = document.add_table(rows=0, cols=2)
    for name, value in (("Якорь", "Вес, кг"), ("становой", "900"), ("верп", "120 & 80")):
        cells = table.add_row().cells
        cells[0].text, cells[1].text = name, value
    table.cell(2, 1).add_paragraph("запасной")
    hidden = document.add_paragraph("Конец памятки").add_run(" СКРЫТО")
    hidden.font.hidden = True
    buffer = io.BytesIO()
    document.save(buffer)
    source = zipfile.ZipFile(buffer)
    with zipfile.ZipFile(path("anchors.docx"), "w", zipfile.ZIP_DEFLATED) as out:
        keep = ("[Content_Types].xml", "_rels/.rels", "docProps/core.xml", "word/document.xml",
                "word/styles.xml", "word/numbering.xml", "word/_rels/document.xml.rels")
        for name in keep:
            text = source.read(name).decode()
            if name == "word/document.xml":
                text = text.replace(
                    "900 кг.@", '900 кг.</w:t></w:r><w:r><w:footnoteReference w:id="1"/></w:r><w:r>'
                    "<w:t xml:space=\"preserve\">"
                ).replace("</w:body>", "<w:p><w:del><w:r><w:delText>УДАЛЕНО</w:delText></w:r></w:del></w:p></w:body>")
            out.writestr(zipfile.ZipInfo(name, (2026, 1, 2, 0, 0, 0)), text, zipfile.ZIP_DEFLATED)
        out.writestr(zipfile.ZipInfo("word/footnotes.xml", (2026, 1, 2, 0, 0, 0)), FOOTNOTES, zipfile.ZIP_DEFLATED)


# --- tables ------------------------------------------------------------------------------------

ROWS = [
    {"user_input": "Из чего сделан причал?", "response": "Причал сделан из дуба; доски «живут» 12 лет.",
     "retrieved_contexts": ["Причал сделан из дуба.", "Доски меняют каждые 12 лет, не чаще."],
     "reference": "Из дуба."},
    {"user_input": "Какая глубина в Кеми?", "response": "Глубина 5 м.",
     "retrieved_contexts": ["Кемь: глубина 5 м.", 'Причал "А", л\'евый берег.'], "reference": "5 м."},
    {"user_input": "What is the lamp made of?", "response": "It is made of brass.",
     "retrieved_contexts": ["The lamp is made of brass."], "reference": "Brass."},
]


def csv_files():
    import csv

    # As EvaluationDataset.to_csv of RAGAS 0.4.3 writes: csv.DictWriter over lists.
    with open(path("ragas.csv"), "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=ROWS[0].keys())
        writer.writeheader()
        writer.writerows(ROWS)
    # As pandas writes a frame read from Parquet: NumPy arrays of texts.
    frame = pd.DataFrame(ROWS)
    frame["retrieved_contexts"] = [pd.array(row, dtype=object).to_numpy() for row in frame["retrieved_contexts"]]
    frame["faithfulness"] = [1.0, None, 0.5]
    frame.to_csv(path("pandas.csv"), index=False, lineterminator="\n")
    # As a Russian Excel saves: windows-1251, semicolons, CRLF.
    with open(path("excel_ru.csv"), "w", newline="", encoding="cp1251", errors="strict") as file:
        writer = csv.writer(file, delimiter=";")
        writer.writerow(["question", "answer", "contexts", "reference"])
        for row in ROWS:
            writer.writerow([row["user_input"], row["response"], row["retrieved_contexts"][0], row["reference"]])
    # The same with a mark of UTF-8 and a line break in a field.
    with open(path("excel_bom.csv"), "w", newline="", encoding="utf-8-sig") as file:
        writer = csv.writer(file)
        writer.writerow(["id", "question", "answer", "contexts", "reference"])
        for n, row in enumerate(ROWS):
            answer = row["response"].replace(" ", "\n", 1) if n == 0 else row["response"]
            writer.writerow([f"в{n + 1}", row["user_input"], answer, row["retrieved_contexts"][0], row["reference"]])


def xlsx():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Ответы"
    sheet.append(["id", "question", "answer", "contexts", "reference", "tags"])
    sheet.append([101, "Когда построен причал?", datetime.date(1904, 5, 20), '["Причал построен 1904-05-20."]',
                  datetime.date(1904, 5, 20), "даты"])
    sheet.append([102.0, "Сколько кранов в Выборге?", 6, "В Выборге 6 кранов.", 6, '["числа", "порты"]'])
    sheet.append([103, "Когда ушёл паром?", datetime.datetime(2026, 3, 1, 7, 45), "Паром ушёл 2026-03-01 в 7:45.",
                  datetime.datetime(2026, 3, 1, 7, 45), None])
    second = book.create_sheet("Вопросы")
    second.append(["question", "reference"])
    second.append(["Где стоит маяк?", "На мысу."])
    broken = book.create_sheet("С ошибками")
    broken.append(["question", "answer", "contexts"])
    broken.append(["Где маяк?", "На мысу.", "Маяк стоит на мысу."])
    broken.append([None, "Без вопроса.", "Пусто."])
    broken.append(["Где верфь?", "#N/A", "Верфь."])
    broken["B4"].data_type = "e"
    book.properties.created = book.properties.modified = datetime.datetime(2026, 1, 2)
    book.save(path("answers.xlsx"))


def parquet():
    frame = pd.DataFrame(ROWS)
    frame.insert(0, "id", [1, 2, 3])
    frame["score"] = [0.5, float("nan"), 1.0]
    frame["seconds"] = [1.5, float("nan"), 2.0]
    contexts = pa.array(
        [[{"text": t, "id": f"{n}-{m}", "score": 0.5} for m, t in enumerate(row["retrieved_contexts"])]
         for n, row in enumerate(ROWS)])
    table = pa.table({
        "id": pa.array([1.0, 2.0, 3.0]),
        "user_input": pa.array(frame["user_input"], pa.large_string()),
        "response": pa.array(frame["response"]).dictionary_encode(),
        "retrieved_contexts": contexts,
        "reference": pa.array(frame["reference"]),
        "seconds": pa.array(frame["seconds"], from_pandas=False),
        "tags": pa.array([["порт", "дуб"], None, []], pa.list_(pa.string())),
        "asked": pa.array([datetime.date(2026, 1, 2)] * 3),
    })
    pq.write_table(table, path("answers.parquet"), compression="snappy")
    for codec in ("zstd", "gzip", "lz4"):
        pq.write_table(table, path(f"answers_{codec}.parquet"), compression=codec)
    # As pandas writes RAGAS's frame.
    pd.DataFrame(ROWS).to_parquet(path("ragas.parquet"), index=False)


if __name__ == "__main__":
    harbour()
    scanned()
    locked()
    broken()
    word()
    csv_files()
    xlsx()
    parquet()
