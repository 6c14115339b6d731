/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Completion scripts for shells, generated from the tables of commands and options, so that they are always
 * complete. */
#include "help.h"

#include <string.h>

static const char modes[] = "observe stop", whens[] = "auto always never", shells[] = "bash zsh fish",
		  steps[] = "into over out instruction";
/* Process ids. Each shell has its own form. */
static const char pids[] = "$(ps -eo pid= 2>/dev/null)";

static void add_commands(struct buf *out)
{
	for (size_t i = 0; i < n_command_rows; i++)
		text_printf(out, "%s%s", i ? " " : "", command_rows[i].name);
}

static void add_events(struct buf *out)
{
	for (const char *const *event = command_events; *event; event++)
		text_printf(out, "%s%s", event == command_events ? "" : " ", *event);
}

/* Append the fixed words of a kind, if it has any. */
static void add_words(struct buf *out, enum word_kind kind)
{
	if (kind == WORD_MODE)
		text_add(out, modes);
	else if (kind == WORD_WHEN)
		text_add(out, whens);
	else if (kind == WORD_STEP)
		text_add(out, steps);
	else if (kind == WORD_SHELL)
		text_add(out, shells);
	else if (kind == WORD_COMMAND)
		add_commands(out);
	else if (kind == WORD_EVENT)
		add_events(out);
	else if (kind == WORD_PROCESS)
		text_add(out, pids);
}

/* Append bash's words after an option or a command. An empty list falls back to files where they fit. */
static void add_bash_reply(struct buf *out, enum word_kind kind)
{
	if (kind == WORD_FILE) {
		text_add(out, "COMPREPLY=($(compgen -f -- \"$cur\"))");
	} else if (kind == WORD_FOLDER) {
		text_add(out, "COMPREPLY=($(compgen -d -- \"$cur\"))");
	} else if (kind == WORD_ANY || kind == WORD_NONE) {
		text_add(out, "COMPREPLY=()");
	} else {
		text_add(out, "COMPREPLY=($(compgen -W \"");
		add_words(out, kind);
		text_add(out, "\" -- \"$cur\"))");
	}
}

static void add_option_pattern(struct buf *out, const struct option_row *option, const char *between)
{
	if (option->code < 256)
		text_printf(out, "-%c%s", option->code, between);
	text_printf(out, "--%s", option->name);
}

/* Append the options that a command takes: "-p --pid …". */
static void add_group_options(struct buf *out, unsigned groups)
{
	int any = 0;

	for (size_t i = 0; i < n_option_rows; i++) {
		if (!(option_rows[i].group & groups))
			continue;
		if (any++)
			text_add(out, " ");
		add_option_pattern(out, &option_rows[i], " ");
	}
}

static void add_bash(struct buf *out)
{
	text_add(out, "# bash completion of ompdctl, printed by `ompdctl completion bash`\n"
		      "_ompdctl()\n{\n"
		      "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} word command= i\n"
		      "\tcase $prev in\n");
	for (size_t i = 0; i < n_option_rows; i++) {
		if (!option_rows[i].argument)
			continue;
		text_add(out, "\t");
		add_option_pattern(out, &option_rows[i], "|");
		text_add(out, ") ");
		add_bash_reply(out, option_rows[i].word);
		text_add(out, "; return;;\n");
	}
	text_add(out, "\tesac\n"
		      "\tfor ((i = 1; i < COMP_CWORD; i++)); do\n"
		      "\t\tword=${COMP_WORDS[i]}\n"
		      "\t\t[[ $word == -- ]] && { COMPREPLY=($(compgen -c -f -- \"$cur\")); return; }\n"
		      "\t\tcase \" ");
	add_commands(out);
	text_add(out, " \" in *\" $word \"*) command=$word; break;; esac\n\tdone\n\tcase $command in\n");
	for (size_t i = 0; i < n_command_rows; i++) {
		const struct command_row *row = &command_rows[i];

		text_printf(out, "\t%s)\n\t\tif [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"", row->name);
		add_group_options(out, row->groups);
		text_add(out, "\" -- \"$cur\"))\n\t\telse ");
		add_bash_reply(out, row->words);
		text_add(out, "; fi;;\n");
	}
	text_add(out, "\t*)\n\t\tif [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"");
	add_group_options(out, ~0U);
	text_add(out, "\" -- \"$cur\"))\n\t\telse COMPREPLY=($(compgen -W \"");
	add_commands(out);
	text_add(out, "\" -- \"$cur\")); fi;;\n\tesac\n}\ncomplete -F _ompdctl ompdctl\n");
}

/* Append the first line of a help text for use inside single quotes, without characters that the shell interprets. */
static void add_quoted(struct buf *out, const char *s, const char *never)
{
	size_t len = strcspn(s, "\n");

	for (size_t i = 0; i < len; i++) {
		if (!strchr(never, s[i]))
			text_add_bytes(out, s + i, 1);
	}
}

static void add_zsh_action(struct buf *out, enum word_kind kind)
{
	if (kind == WORD_FILE) {
		text_add(out, "_files");
	} else if (kind == WORD_FOLDER) {
		text_add(out, "_files -/");
	} else if (kind == WORD_PROCESS) {
		text_add(out, "_pids");
	} else if (kind == WORD_ANY || kind == WORD_NONE) {
		text_add(out, " ");
	} else {
		text_add(out, "(");
		add_words(out, kind);
		text_add(out, ")");
	}
}

static void add_zsh_options(struct buf *out, unsigned groups)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *option = &option_rows[i];

		if (!(option->group & groups))
			continue;
		text_add(out, "\t\t");
		if (option->code < 256)
			text_printf(out, "{-%c,--%s}", option->code, option->name);
		else
			text_printf(out, "--%s", option->name);
		text_add(out, "'[");
		add_quoted(out, option->help, "'[]:");
		text_add(out, "]");
		if (option->argument) {
			text_printf(out, ":%s:", option->argument);
			add_zsh_action(out, option->word);
		}
		text_add(out, "' \\\n");
	}
}

static void add_zsh(struct buf *out)
{
	text_add(out, "#compdef ompdctl\n"
		      "# zsh completion of ompdctl, printed by `ompdctl completion zsh`\n"
		      "_ompdctl()\n{\n"
		      "\tlocal -a commands=(\n");
	for (size_t i = 0; i < n_command_rows; i++) {
		text_printf(out, "\t\t'%s:", command_rows[i].name);
		add_quoted(out, command_rows[i].summary, "':");
		text_add(out, "'\n");
	}
	text_add(out, "\t)\n\tlocal word command=\n\tfor word in ${words[2,CURRENT-1]}; do\n"
		      "\t\t(( ${commands[(I)$word:*]} )) && command=$word && break\n\tdone\n"
		      "\tcase $command in\n");
	for (size_t i = 0; i < n_command_rows; i++) {
		const struct command_row *row = &command_rows[i];

		text_printf(out, "\t%s) _arguments \\\n", row->name);
		add_zsh_options(out, row->groups);
		text_add(out, "\t\t'1: : ' ");
		if (row->words != WORD_NONE) {
			text_add(out, "'*:argument:");
			add_zsh_action(out, row->words);
			text_add(out, "' ");
		}
		text_add(out, ";;\n");
	}
	text_add(out, "\t*) _arguments \\\n");
	add_zsh_options(out, ~0U);
	text_add(out, "\t\t'1:command:{_describe command commands}' ;;\n\tesac\n}\n"
		      "if [ \"$funcstack[1]\" = _ompdctl ]; then _ompdctl \"$@\"; else compdef _ompdctl ompdctl; fi\n");
}

static void add_fish(struct buf *out)
{
	text_add(out, "# fish completion of ompdctl, printed by `ompdctl completion fish`\n"
		      "complete -c ompdctl -f\n");
	for (size_t i = 0; i < n_command_rows; i++) {
		const struct command_row *row = &command_rows[i];

		text_printf(out, "complete -c ompdctl -n __fish_use_subcommand -a %s -d '", row->name);
		add_quoted(out, row->summary, "'");
		text_add(out, "'\n");
		if (row->words == WORD_NONE || row->words == WORD_ANY)
			continue;
		text_printf(out, "complete -c ompdctl -n '__fish_seen_subcommand_from %s' ", row->name);
		if (row->words == WORD_FILE) {
			text_add(out, "-F\n");
			continue;
		}
		text_add(out, "-a '");
		add_words(out, row->words);
		text_add(out, "'\n");
	}
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *option = &option_rows[i];

		text_printf(out, "complete -c ompdctl -l %s ", option->name);
		if (option->code < 256)
			text_printf(out, "-s %c ", option->code);
		if (option->argument && (option->word == WORD_FILE || option->word == WORD_FOLDER)) {
			text_add(out, "-r -F ");
		} else if (option->word == WORD_PROCESS) {
			text_add(out, "-x -a '(__fish_complete_pids)' ");
		} else if (option->argument) {
			text_add(out, "-x -a '");
			add_words(out, option->word);
			text_add(out, "' ");
		}
		text_add(out, "-d '");
		add_quoted(out, option->help, "'");
		text_add(out, "'\n");
	}
}

int completion_show(const char *shell, struct buf *out)
{
	if (!strcmp(shell, "bash"))
		add_bash(out);
	else if (!strcmp(shell, "zsh"))
		add_zsh(out);
	else if (!strcmp(shell, "fish"))
		add_fish(out);
	else
		return 0;
	return 1;
}
