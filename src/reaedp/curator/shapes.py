"""Which texts are numbers, dates and truth values: regular expressions that mean the same in every engine.

They contain no backslash, as engines disagree about those, and spell out both cases, as those depend on locales.
"""

_SPACE = "[ \t\n\v\f\r]*"
#: Each text can be matched in one way only: engines that go back on their steps would take long over long texts.
_DIGITS = "([0-9]+([.][0-9]*)?|[.][0-9]+)"
_NAN = "[nN][aA][nN]"
_INFINITY = "[iI][nN][fF]([iI][nN][iI][tT][yY])?"
_ZONE = "(Z|[+-][0-9]{2}(:?[0-9]{2})?| UTC)?"
_TIME = f"(([01]?[0-9]|2[0-3]):[0-5]?[0-9](:[0-5]?[0-9]([.][0-9]*)?{_ZONE})?|24:00?(:00?([.]0*)?{_ZONE})?)"

NUMBER = f"^{_SPACE}[+-]?({_DIGITS}([eE][+-]?[0-9]+)?|{_NAN}|{_INFINITY}){_SPACE}$"
FINITE_NUMBER = f"^{_SPACE}[+-]?{_DIGITS}([eE][+-]?[0-9]+)?{_SPACE}$"
#: Digits with an exponent of at most two.
PLAIN_NUMBER = f"^{_SPACE}[+-]?{_DIGITS}([eE][+-]?[0-9]{{1,2}})?{_SPACE}$"
NOT_A_NUMBER = f"^{_SPACE}[+-]?{_NAN}{_SPACE}$"
INFINITE = f"^{_SPACE}[+-]?{_INFINITY}{_SPACE}$"
#: Year, month and day, which need not exist; a time may follow, whose zone is not looked at.
DATE = f"^{_SPACE}[0-9]{{1,5}}(-[0-9]{{1,2}}-|/[0-9]{{1,2}}/| [0-9]{{1,2}} )[0-9]{{1,2}}([ T]{_TIME})?$"
PLAIN_DATE = "^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
YES = f"^{_SPACE}([tT]([rR][uU][eE])?|[yY]([eE][sS])?|1([.]0)?){_SPACE}$"
NO = f"^{_SPACE}([fF]([aA][lL][sS][eE])?|[nN][oO]?|0([.]0)?){_SPACE}$"
