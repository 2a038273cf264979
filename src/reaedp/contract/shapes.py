"""Which texts are numbers, dates and truth values: regular expressions that mean the same in every engine.

They contain no backslash, as engines disagree about those, and spell out both cases, as those depend on locales.
"""

#: What may stand around a number.
BLANKS = " \t\n\v\f\r"
_SPACE = f"[{BLANKS}]*"
#: Each text can be matched in one way only: engines that go back on their steps would take long over long texts.
_DIGITS = "([0-9]+([.][0-9]*)?|[.][0-9]+)"
_NAN = "[nN][aA][nN]"
_INFINITY = "[iI][nN][fF]([iI][nN][iI][tT][yY])?"
_ZONE = "(Z|[+-][0-9]{2}(:?[0-9]{2})?| UTC)?"
_TIME = f"(([01]?[0-9]|2[0-3]):[0-5]?[0-9](:[0-5]?[0-9]([.][0-9]*)?{_ZONE})?|24:00?(:00?([.]0*)?{_ZONE})?)"
_TRUE, _FALSE = "[tT][rR][uU][eE]", "[fF][aA][lL][sS][eE]"

NUMBER = f"^{_SPACE}[+-]?({_DIGITS}([eE][+-]?[0-9]+)?|{_NAN}|{_INFINITY}){_SPACE}$"
FINITE_NUMBER = f"^{_SPACE}[+-]?{_DIGITS}([eE][+-]?[0-9]+)?{_SPACE}$"
#: Digits with an exponent of at most two.
PLAIN_NUMBER = f"^{_SPACE}[+-]?{_DIGITS}([eE][+-]?[0-9]{{1,2}})?{_SPACE}$"
#: Digits, and nothing but zeros behind a point: as a name, these digits and no others.
WHOLE_NUMBER = f"^{_SPACE}[+-]?[0-9]+([.]0*)?{_SPACE}$"
#: Digits around an e as no program prints a double: that has a point, a sign, or one digit and an exponent from 16 on.
#: Identifiers of hexadecimal digits look so. As a name, this text: 12e45678 and 99e999 are two people, not infinity.
_EXPONENT = "([0-9]|0[0-9]+|1[0-5]|30[89]|3[1-9][0-9]|[4-9][0-9]{2}|[1-9][0-9]{3,})"
IDENTIFIER = f"^{_SPACE}(([0-9]{{2,}}|0)[eE][0-9]+|[1-9][eE]{_EXPONENT}){_SPACE}$"
NOT_A_NUMBER = f"^{_SPACE}[+-]?{_NAN}{_SPACE}$"
INFINITE = f"^{_SPACE}[+-]?{_INFINITY}{_SPACE}$"
#: Year, month and day, which need not exist; a time may follow. With a zone the day is that of UTC.
DATE = f"^{_SPACE}[0-9]{{1,5}}(-[0-9]{{1,2}}-|/[0-9]{{1,2}}/| [0-9]{{1,2}} )[0-9]{{1,2}}([ T]{_TIME})?$"
PLAIN_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
#: A date or time of the years 1 to 9999 as programs write it, which names the same moment however it is stored.
MOMENT = (
    "^(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})-[0-9]{2}-[0-9]{2}"
    f"([ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{{1,9}})?{_ZONE})?$"
)
#: The zone of a date with a time: its sign, hours and minutes.
ZONE = ":[0-9.]+([+-])([0-9]{2}):?([0-9]{2})?$"
#: The words for 1 and 0.
TRUE, FALSE = (f"^{_SPACE}{word}{_SPACE}$" for word in (_TRUE, _FALSE))
YES = f"^{_SPACE}([tT]|{_TRUE}|[yY]([eE][sS])?){_SPACE}$"
NO = f"^{_SPACE}([fF]|{_FALSE}|[nN][oO]?){_SPACE}$"
#: How every text begins that is a number, a moment or a truth value.
PROMISING = f"^{_SPACE}[+.0-9tTfFnNiI-]"
