"""Hostile names and values."""

FAMILY = "\U0001f469\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
GREETING = "Ζ" + "\u0336" * 3 + "α"
ZALGO = "Z" + "".join(map(chr, range(0x300, 0x330))) + "a"

ORDINARY_NAMES = [
    "A", "Ζωή", "Ολυμπία-Μαρία", "O’Brien", "O'Brien", "Jean Luc", "Ǻsa", "İnci", "ßen", "李小龍", "محمد", "שרה",
    "ไทย", "अनुष्का",
    "🦊", FAMILY, "0", "1", "-1", "null", "None", "NaN", "true", "undefined", "nil", "admin", "root", "p1",
    "n:Bo", "seat", "__proto__",
    "../", "..\\..\\x", "/etc/passwd", "C:\\nul", "%00", "%s%n", "{{ 7*7 }}", "{% debug %}", "{0}", "{names}",
    "${7*7}", "#{x}",
    "<script>alert(1)</script>", "<b>Bo", "</bdi><img src=x>", "\"><svg onload=alert(1)>", "' OR 1=1 --",
    "Robert'); DROP TABLE--",
    "&lt;Bo&gt;", "&amp;", "javascript:alert(1)", "=1+1", "@SUM(A1)", "\\u0000", "\\x00", "a,b;c|d",
    "!@#$%^&*()", "¡™£¢∞§¶•ªº", "٣", "½",
    "Ω≈ç√∫˜µ≤≥÷", "ﬁ", "e\u0301", "x" * 40, "Ж" * 40, "🙂" * 40, FAMILY * 10, "( ͡° ͜ʖ ͡°)", "(╯°□°)╯︵ ┻━┻",
    "🇬🇷", "👍🏽", "5️⃣", "Việt", "שָׁלוֹם", "น้ำ", "ή\u0345", "❤️",
    "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
]  # fmt: skip
"""Strange but valid names."""

CLEANED_NAMES = {
    "  Bo  ": "Bo",
    "\tBo\n": "Bo",
    "Bo\nAnn": "Bo Ann",
    "Bo   Ann": "Bo Ann",
    "Bo\u00a0Ann": "Bo Ann",
    "\u202eoB": "oB",
    "\u2067Bo\u2069": "Bo",
    "B\u200bo": "Bo",
    "\ufeffBo": "Bo",
    "B\u00ado": "Bo",
    "e\u0301va": "éva",
    "Bo\u200d": "Bo",
    "Bo\ufe0f": "Bo",
    "B\U000e0100o": "Bo",
    "B\u034fo": "Bo",
    "B\U000e0041o": "Bo",
    "Bo\u3164": "Bo",
    "Bo\tAnn": "Bo Ann",
}

IMPOSSIBLE_NAMES = [
    "", " ", "\t", "\u00a0", "\u3000", "\u200b", "\u200b" * 30, "\u202e", "\u2800\x00", "\u200d", "\ufe0f",
    "\u0301",
    "\x00", "Bo\x00", "B\x00o", "B\x07o", "\x1b[31mBo", "\x7f", "B\x85o", "Bo\rAnn", "\ud800", "B\ud800o",
    "\udfff\ud800", "\ufffd", "B\ufffdo",
    "\ue000", "\uffff", "\U0010ffff", "\u0378", ZALGO, "x" * 41, "x" * 10_000, "🙂" * 41, " " * 10_000,
    "e\u0301" * 5_000, "\u3164", "\u2800", "\uffa0", "\u115f", "a" + "\u0e49" * 159, "a" + "\u0344\u0610" * 79,
    "\u0301\u0302\u0303\u0610" * 39,
]  # fmt: skip
"""Names that must be refused: empty, invisible, unreadable or too long."""

VALUES = [
    "", " ", "0", "-0", "00", "+1", "-1", "-2", "1", "2", "3", "4", "7", "12", "34", "79", "99", "100", "255",
    "256", "32767", "32768", "65536",
    "2147483647", "2147483648", "-2147483649", "999999999", "-999999999", "1099511627776",
    "9223372036854775807", "9223372036854775808", "1" + "0" * 30,
    "9" * 5_000, "-" + "9" * 5_000, "0" * 5_000, "1.0", "1.9", "1e3", "1e999", "-1e999", "NaN", "Infinity",
    "-Infinity", "0x10", "0b1", "1_000", "1,000",
    "1,2", "1,2,3", ",", "1,", ",".join(["1"] * 300), "1 2", " 1", "1 ", "1\n", "\n1", "٣", "३", "३४", "๑",
    "²", "½", "Ⅷ", "一", "γ", "Ω", "α12", "O", "l",
    "yes", "no", "on", "true", "True", "null", "None", "undefined", "[]", "{}", '{"a": 1}', "[object Object]",
    "()", "'", '"', "`", "\\", "%", "%00",
    "\x00", "1\x00", "\x07", "\x1b", "\x7f", "\r\n", "\ud800", "1\udfff", "\ufffd", "\u202e", "\u200b",
    "\ufeff1", "\uffff", "<script>alert(1)</script>",
    "{{ 7*7 }}", "{0}", "{seat}", "' OR 1=1 --", "../../etc/passwd", "//evil.example", "javascript:alert(1)",
    "http://[", "/\\evil.example", "/%", "/\x00",
    "undo", "redo", "correct", "insert", "strike", "insist", "confirm", "close", "reopen", "extend",
    "reverse", "take", "place", "end-turn", "stuck",
    "count", "up-1", "up-9", "open", "add", "up:x", "down:" + "9" * 5_000, "p1", "p-1", "p999999999", "n:",
    "n:\x00", "pad", "referee", "en", "el", "x" * 2_000,
    "x" * 60_000, "🙂" * 500, "e\u0301" * 200,
]  # fmt: skip
"""Values for any field: numbers in and out of range, near-numbers, keywords of the app, and garbage."""
