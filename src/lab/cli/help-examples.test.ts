/** Tests that the examples in the help name existing faults, suites, systems and options. */
import { beforeAll, describe, expect, it } from 'vitest'
import { listFaultNames } from '#exam/faults'
import { listSuites } from '#exam/problems'
import { listSystemNames } from '#world/systems'
import { listCommandNames, loadCommand } from './command-registry.ts'
import { COMMON_OPTIONS } from './parse-options.ts'

const suites = [...listSuites().map(({ name }) => name), 'controls']
const faults = listFaultNames()
const systems = listSystemNames()

interface ExampleName {
  readonly command: string
  readonly kind: 'fault' | 'suite' | 'system' | 'option'
  readonly name: string
}

/** The words of a command line, without its description, which follows after several spaces. */
const wordsOf = (example: string): string[] => example.split(/ {2,}/)[0]!.split(' ')

/** The kind of name that each positional of a command expects. */
const POSITIONALS: Readonly<Record<string, readonly (ExampleName['kind'] | undefined)[]>> = {
  validate: ['suite'],
  problems: ['suite'],
  run: ['suite'],
  faults: ['fault'],
  inject: [undefined, 'fault'],
}

const findNames = (command: string, words: readonly string[]): ExampleName[] => {
  const options = words.flatMap((word, index): ExampleName[] => {
    if (!word.startsWith('--')) return []
    const value = words[index + 1] ?? ''
    return [
      { command, kind: 'option', name: word.slice(2) },
      ...(word === '--fault' ? [{ command, kind: 'fault', name: value } as const] : []),
      ...(word === '--system' ? [{ command, kind: 'system', name: value } as const] : []),
    ]
  })
  const firstOption = words.findIndex((word) => word.startsWith('-'))
  const positionals = firstOption === -1 ? words : words.slice(0, firstOption)
  const others = (POSITIONALS[command] ?? []).flatMap((kind, index): ExampleName[] =>
    kind === undefined || positionals[index] === undefined
      ? []
      : [{ command, kind, name: positionals[index] }],
  )
  return [...options, ...others]
}

let exampleNames: ExampleName[]
let optionsOf: ReadonlyMap<string, readonly string[]>
beforeAll(async () => {
  const commands = await Promise.all(
    listCommandNames().map(async (name) => ({ name, command: await loadCommand(name) })),
  )
  optionsOf = new Map(
    commands.map(({ name, command: { options = {} } }) => [
      name,
      [
        ...Object.keys({ ...options, ...COMMON_OPTIONS }),
        ...Object.values(options).flatMap(({ alias }) => alias ?? []),
      ],
    ]),
  )
  exampleNames = commands
    .filter(({ command }) => command.passThrough !== true)
    .flatMap(({ name, command: { examples = [] } }) =>
      examples.flatMap((example) =>
        example.split(/ && | \| |"/).flatMap((line) => {
          const words = wordsOf(line.trim())
          const length = name.split(' ').length
          const callsCommand = words.slice(0, length + 1).join(' ') === `remedium ${name}`
          return callsCommand ? findNames(name, words.slice(length + 1)) : []
        }),
      ),
    )
})

const listMissing = (kind: ExampleName['kind'], exists: (candidate: ExampleName) => boolean): string[] =>
  exampleNames
    .filter((candidate) => candidate.kind === kind && !exists(candidate))
    .map(({ command, name }) => `${command}: ${name}`)

describe('the examples in the help', () => {
  it('name existing faults, suites and systems', () => {
    expect(exampleNames.filter(({ kind }) => kind === 'fault').length).toBeGreaterThan(2)
    expect(exampleNames.filter(({ kind }) => kind === 'suite').length).toBeGreaterThan(6)
    expect(listMissing('fault', ({ name }) => faults.includes(name))).toEqual([])
    expect(listMissing('suite', ({ name }) => suites.includes(name))).toEqual([])
    expect(listMissing('system', ({ name }) => systems.includes(name))).toEqual([])
  })

  it('use options that the commands have', () => {
    expect(listMissing('option', ({ command, name }) => optionsOf.get(command)!.includes(name))).toEqual([])
  })
})
