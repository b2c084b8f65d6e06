// How the search ranks: the language and what one does with it before the messages, the engine and its decisions.
const ORDER = [[/^(five_minutes|tutorial|language\/|howto\/|cli|api)/, 12], [/^(decisions\/|changelog|architecture|glossary|backends)/, -12]];
var Scorer = {
  score: ([docname, title, anchor, description, score]) =>
    score + ORDER.reduce((sum, [pages, more]) => sum + (pages.test(docname) ? more : 0), 0),
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
