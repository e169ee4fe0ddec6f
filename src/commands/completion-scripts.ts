// The scripts that let a shell complete the command line. Each asks the program for the candidates, so a script fits every version.

export const completionShells = ['bash', 'zsh', 'fish'] as const;

export type CompletionShell = (typeof completionShells)[number];

/** The hidden command that prints candidates, one a line: the words behind the program's name follow, the last one unfinished. */
export const completeCommand = '__complete';

const ask = `rolealerts ${completeCommand}`;

export const completionScripts: Readonly<Record<CompletionShell, string>> = {
  bash: `# source <(rolealerts completion bash)
_rolealerts() {
  local line word i rest=\${COMP_LINE:0:COMP_POINT} words=()
  rest=\${rest#*"\${COMP_WORDS[0]}"}
  # bash also splits at : and =, as in --context arn:aws:eks:prod.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ -n $rest && $rest != [[:space:]]* ]]; then words[\${#words[@]}-1]+=$word; else words+=("$word"); fi
    rest=\${rest#"\${rest%%[![:space:]]*}"}
    rest=\${rest#"$word"}
  done
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(${ask} "\${words[@]}" 2>/dev/null)
}
complete -o default -F _rolealerts rolealerts
`,
  zsh: `#compdef rolealerts
# source <(rolealerts completion zsh)
_rolealerts() {
  local -a candidates
  candidates=("\${(@f)$(${ask} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  candidates=(\${candidates:#})
  if (( \${#candidates} )); then compadd -- $candidates; else _files; fi
}
compdef _rolealerts rolealerts
`,
  fish: `# rolealerts completion fish | source
function __rolealerts_candidates
  set -l words (commandline --tokenize --cut-at-cursor --current-process) (commandline --current-token)
  ${ask} $words[2..-1] 2>/dev/null
end
complete --command rolealerts --arguments '(__rolealerts_candidates)'
`,
};
