"""What the terminal says of itself, around the words of the game.

Enters: a language. Leaves: `Texts`, which fills templates. Every language has the same templates; one that is not here
falls back to English.
"""

from __future__ import annotations

ENGLISH = {
    # The table.
    "game": "{title}, {players} players, seed {seed}",
    "turn": "turn {turn}",
    "you": "You, {seat}",
    "others": "The others",
    "out": "{seat} (out)",
    "empty": "empty",
    "hidden": "{count} hidden",
    "under": "{piece} +{count}",
    "nothing_there": "empty: {names}",
    "no_such_place": "No place here is called `{words}`. There are {names}.",
    # What happened.
    "no_log": "Nothing has happened yet.",
    # Options.
    "some_options": "{shown} of {count} options; `more` shows the next, words that you type search them",
    "found": "{count} of the options: {words}",
    "not_found": "None of the {count} options has {words}. `options` shows them all.",
    "no_number": "There is no option {number}: they go from 1 to {count}.",
    "no_more": "These are all.",
    "one_found": "Only one option has {words}, number {number}: {option}. Type {number} to choose it.",
    "forced": "{seat} has only one choice, taken: {option}",
    # Why.
    "why_offered": "{option} is offered.",
    "why_refused": "{option} is not offered.",
    "rule": "rule",
    "id": "id",
    "book": "rulebook",
    "why_nothing": "Nothing like `{words}` could be tried here. `options` shows what is offered.",
    "why_none": "Nothing else could be tried here.",
    # Undo, save, load.
    "nothing_to_undo": "You have chosen nothing yet that could be taken back.",
    "undone": "Taken back: {option}",
    "undone_marked": "Taken back, and marked on the record: {option}",
    "undo_asks": "This would take back: {option}. Since then {seen}: you know more now than you did. "
    "Undo, and mark the record?",
    "undo_prompt": "[y/n] ",
    "undo_left": "Not undone.",
    "seen_moved": "others have chosen",
    "seen_chance": "chance has spoken",
    "seen_shown": "something hidden was shown",
    "seen_shown_to": "something hidden was shown to {seats}",
    "yes": "y yes",
    "saved": "Saved in {file}.",
    "not_over_it": "{file} is there already and is no saved game: nothing was written.",
    "loaded": "Loaded from {file}: {count} steps.",
    "needs": "`{command}` needs {what}: {example}.",
    "needs_file": "a file",
    "needs_words": "a name",
    # Passing the screen on.
    "pass_on": "Press Enter and leave the screen to {seat}, or type `undo`.",
    "press_enter": "{seat}, press Enter",
    "separator": "{seat}'s turn at the screen",
    "stopped": "the game is not over",
    # Scores.
    "score": "score",
    "total": "total",
    "so_far": "As things stand, as far as {seat} can know. A `?` depends on what is hidden.",
    "no_scores": "This game counts no points.",
    "won": "{seats} wins.",
    "won_together": "{seats} win together.",
    "won_nobody": "Nobody has won.",
    # A piece.
    "no_piece": "No piece is called `{words}`.",
    "copies": "copies",
    "per_player": "for each player",
    "provenance": "provenance",
    # Replay.
    "step": "Step {number} of {count}",
    "as_recorded": "{count} steps as recorded",
    "not_over": "not over",
    "taken_back": "{seat} took back {taken} of {steps} steps although {seen}.",
    "end": "This is the last step.",
    "first": "This is the start.",
    "replay_help": "Enter: next; b: back; a number: that step; e: the end; q: quit",
    "no_step": "There is no step {number}: they go from 0 to {count}.",
    # Help.
    "help_choose": "choose an option: its number, its id, or words that only it has",
    "help_search": "look for the options with these words; without words, show all",
    "help_more": "show the next options",
    "help_why": "why an option is offered, or something is not; without words, all that is refused",
    "help_board": "show the table again; of a place, all that lies there",
    "help_card": "what is known of a piece",
    "help_log": "the last things that happened",
    "help_scores": "the score sheet, each line with its rule",
    "help_undo": "take back your last choice: free as long as nobody has seen or done anything since",
    "help_save": "put the game aside",
    "help_load": "go on with a game that was put aside",
    "help_help": "this help",
    "help_quit": "stop",
    "arg_words": "WORDS",
    "arg_file": "FILE",
    "arg_number": "N",
    "arg_name": "NAME",
}

FRENCH = {
    "game": "{title}, {players} joueurs, graine {seed}",
    "turn": "tour {turn}",
    "you": "Vous, {seat}",
    "others": "Les autres",
    "out": "{seat} (hors jeu)",
    "empty": "vide",
    "hidden": "{count} face cachée",
    "under": "{piece} +{count}",
    "nothing_there": "vide : {names}",
    "no_such_place": "Aucun endroit ne s'appelle « {words} ». Il y a {names}.",
    "no_log": "Il ne s'est encore rien passé.",
    "some_options": "{shown} options sur {count} ; `more` montre les suivantes, des mots tapés les cherchent",
    "found": "{count} des options : {words}",
    "not_found": "Aucune des {count} options ne contient {words}. `options` les montre toutes.",
    "no_number": "Il n'y a pas d'option {number} : elles vont de 1 à {count}.",
    "no_more": "C'est tout.",
    "one_found": "Une seule option contient {words}, la {number} : {option}. Tapez {number} pour la choisir.",
    "forced": "{seat} n'a qu'un choix, fait d'office : {option}",
    "why_offered": "Proposé : {option}.",
    "why_refused": "Refusé : {option}.",
    "rule": "règle",
    "id": "id",
    "book": "livret",
    "why_nothing": "Rien comme « {words} » ne peut être tenté ici. `options` montre ce qui est proposé.",
    "why_none": "Rien d'autre ne peut être tenté ici.",
    "nothing_to_undo": "Vous n'avez encore rien choisi qui puisse être repris.",
    "undone": "Repris : {option}",
    "undone_marked": "Repris, et noté dans la partie : {option}",
    "undo_asks": "Ceci reprendrait : {option}. Depuis, {seen} : vous en savez plus qu'alors. "
    "Reprendre, et le noter dans la partie ?",
    "undo_prompt": "[o/n] ",
    "undo_left": "Rien n'est repris.",
    "seen_moved": "d'autres ont choisi",
    "seen_chance": "le hasard a parlé",
    "seen_shown": "quelque chose de caché a été montré",
    "seen_shown_to": "quelque chose de caché a été montré ({seats})",
    "yes": "o oui y yes",
    "saved": "Enregistré dans {file}.",
    "not_over_it": "{file} existe déjà et n'est pas une partie enregistrée : rien n'a été écrit.",
    "loaded": "Repris de {file} : {count} étapes.",
    "needs": "Après `{command}` il faut {what} : {example}.",
    "needs_file": "un fichier",
    "needs_words": "un nom",
    "pass_on": "Appuyez sur Entrée et laissez l'écran ({seat}), ou tapez `undo`.",
    "press_enter": "{seat}, appuyez sur Entrée",
    "separator": "À l'écran : {seat}",
    "stopped": "la partie n'est pas finie",
    "score": "points",
    "total": "total",
    "so_far": "À ce stade, pour autant qu'on puisse le savoir ({seat}). Un « ? » dépend de ce qui est caché.",
    "no_scores": "Ce jeu ne compte pas de points.",
    "won": "Victoire : {seats}.",
    "won_together": "Victoire partagée : {seats}.",
    "won_nobody": "Personne n'a gagné.",
    "no_piece": "Aucune pièce ne s'appelle « {words} ».",
    "copies": "exemplaires",
    "per_player": "pour chaque joueur",
    "provenance": "provenance",
    "step": "Étape {number} sur {count}",
    "as_recorded": "{count} étapes comme enregistrées",
    "not_over": "pas finie",
    "taken_back": "Repris ({seat}) : {taken} étapes sur {steps}, alors que {seen}.",
    "end": "C'est la dernière étape.",
    "first": "C'est le début.",
    "replay_help": "Entrée : suivante ; b : précédente ; un nombre : cette étape ; e : la fin ; q : quitter",
    "no_step": "Il n'y a pas d'étape {number} : elles vont de 0 à {count}.",
    "help_choose": "choisir une option : son numéro, son id, ou des mots qu'elle seule contient",
    "help_search": "chercher les options avec ces mots ; sans mots, les montrer toutes",
    "help_more": "montrer les options suivantes",
    "help_why": "pourquoi une option est proposée ou refusée ; sans mots, tout ce qui est refusé",
    "help_board": "montrer de nouveau la table ; d'un endroit, tout ce qui s'y trouve",
    "help_card": "ce qu'on sait d'une pièce",
    "help_log": "les derniers événements",
    "help_scores": "les points, chaque ligne avec sa règle",
    "help_undo": "reprendre votre dernier choix : libre tant que personne n'a rien vu ni fait depuis",
    "help_save": "mettre la partie de côté",
    "help_load": "reprendre une partie mise de côté",
    "help_help": "cette aide",
    "help_quit": "arrêter",
    "arg_words": "MOTS",
    "arg_file": "FICHIER",
    "arg_number": "N",
    "arg_name": "NOM",
}

TEXTS = {"en": ENGLISH, "fr": FRENCH}
"""Language -> name -> template."""


class Texts:
    """The terminal's own texts in one language."""

    def __init__(self, lang: str) -> None:
        self.lang = lang
        self._texts = TEXTS.get(lang) or TEXTS.get(lang.partition("-")[0]) or ENGLISH

    def __call__(self, name: str, **fields: object) -> str:
        """A template with its fields."""
        return self._texts[name].format(**fields)
