/** Loads the corpus of hostile and broken commands and playbooks, and replaces the placeholders. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'

/** Whether the whole corpus is run, each entry in a separate process, which takes minutes instead of seconds. */
export const RUNS_WHOLE_CORPUS = process.env.HOSTILE_CORPUS === 'whole'
/** Whether only a few entries are run, to check the test, not the sandbox. */
const RUNS_FEW_ENTRIES = process.env.HOSTILE_CORPUS === 'few'
const FEW_STEP = 10

/** Selects every `every`th entry, fewer or all: adjacent entries of the corpus are variants of the same attempt. */
export const selectSome = <T>(entries: readonly T[], every: number): T[] => {
  const step = RUNS_WHOLE_CORPUS ? 1 : RUNS_FEW_ENTRIES ? every * FEW_STEP : every
  return entries.filter((_, index) => index % step === 0)
}

/** The values of `$NAME` in the corpus. */
export type Placeholders = Readonly<Record<string, string | number>>

export interface HostileCommand {
  readonly tries: string
  readonly run: string
  /** The limit that is expected to end a command. */
  readonly ends?: 'time' | 'output' | 'memory' | 'itself'
  /** Text that the output must contain. */
  readonly says?: string
}

export interface HostilePlaybook {
  readonly tries: string
  readonly text: string
  /** False if Ansible cannot run it even without vetting. */
  readonly unvetted: boolean
}

const readCorpus = (file: string, placeholders: Placeholders): unknown => {
  const text = readFileSync(join(import.meta.dirname, file), 'utf8')
  const names = Object.keys(placeholders).join('|')
  return parse(text.replaceAll(new RegExp(`\\$(${names})\\b`, 'g'), (_, name) => String(placeholders[name])))
}

/** The numbers of system calls depend on the architecture; the corpus has those of x64. */
const isForThisMachine = ({ run }: HostileCommand): boolean =>
  process.arch === 'x64' || !run.includes('.syscall(')

export const loadCommands = (file: string, placeholders: Placeholders): HostileCommand[] => {
  const content = readCorpus(file, placeholders) as HostileCommand[] | Record<string, HostileCommand[]>
  return (Array.isArray(content) ? content : Object.values(content).flat()).filter(isForThisMachine)
}

const BOMBS: Readonly<Record<string, () => string>> = {
  aliases: () =>
    `- hosts: all\n  vars:\n    a0: &a0 [x, x]\n${Array.from({ length: 40 }, (_, index) => `    a${index + 1}: &a${index + 1} [*a${index}, *a${index}, *a${index}]`).join('\n')}`,
  cycle: () => `- &a [${'1,'.repeat(120_000)}*a]`,
  chain: () =>
    `- &a0 [x]\n${Array.from({ length: 9000 }, (_, index) => `- &a${index + 1} [*a${index}]\n- *a${index + 1}`).join('\n')}`,
  brackets: () => '['.repeat(250_000),
  maps: () => '{a: '.repeat(60_000),
  lists: () => '- '.repeat(120_000),
  text: () => `- hosts: all\n  x: ${'y'.repeat(5_000_000)}`,
  tasks: () => `- hosts: all\n  tasks:\n${'    - debug: {}\n'.repeat(5000)}`,
}

interface CorpusPlaybook {
  readonly tries: string
  readonly task?: string
  readonly playbook?: string
  readonly bomb?: string
  readonly unvetted?: boolean
}

const textOf = ({ task, playbook, bomb }: CorpusPlaybook): string => {
  if (bomb !== undefined) return BOMBS[bomb]!()
  if (playbook !== undefined) return playbook
  return `- hosts: localhost\n  gather_facts: false\n  tasks:\n    - ${task!.replaceAll('\n', '\n    ')}\n`
}

export const loadPlaybooks = (placeholders: Placeholders): Record<string, HostilePlaybook[]> =>
  Object.fromEntries(
    Object.entries(readCorpus('playbooks.yaml', placeholders) as Record<string, CorpusPlaybook[]>).map(
      ([group, entries]) => [
        group,
        entries.map((entry) => ({
          tries: entry.tries,
          text: textOf(entry),
          unvetted: entry.unvetted !== false,
        })),
      ],
    ),
  )

/** Joins playbooks into one in which a failed play does not stop the next; each play has the name of its attempt. */
export const joinPlaybooks = (playbooks: readonly HostilePlaybook[]): string =>
  stringify(
    playbooks.flatMap(({ tries, text }) =>
      (parse(text) as object[]).map((play) => ({
        ...play,
        name: tries,
        gather_facts: false,
        ignore_errors: true,
        ignore_unreachable: true,
      })),
    ),
  )
