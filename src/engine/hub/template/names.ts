/** The names of Jinja2's filters and tests. A template that uses another is refused when it is read. */

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

export const FILTER_NAMES = words(`
  abs attr batch capitalize center count d default dictsort e escape filesizeformat first float forceescape format groupby indent int
  items join last length list lower map max min pprint random reject rejectattr replace reverse round safe select selectattr slice
  sort string striptags sum title tojson trim truncate unique upper urlencode urlize wordcount wordwrap xmlattr
`);

export const TEST_NAMES = words(`
  boolean callable defined divisibleby eq equalto escaped even false filter float ge gt greaterthan in integer iterable le lessthan lower
  lt mapping ne none number odd sameas sequence string test true undefined upper
  == != > >= < <=
`);
