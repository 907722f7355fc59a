/** Checks the example and the tables of docs/topology.md against the schema. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { z } from 'zod'
import { childrenOf, fieldsOf, REPOSITORY, toPartsText, unwrapSchema } from '#kit'
import { listStepLists, listSteps } from './list-steps.ts'
import { parseTopology } from './parse-topology.ts'
import { steps } from './step-schema.ts'
import { topologySchema } from './topology-sources.ts'

const DOCUMENT = readFileSync(join(REPOSITORY, 'docs/topology.md'), 'utf8')
const [EXAMPLE] = [...DOCUMENT.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text]) => text!)
const STEP_KINDS = ['call', 'query', 'proxy', 'set', 'parallel', 'log', 'return', 'fail', 'wait', 'do']
const COMMANDS = ['sql', 'redis', 'memcached', 'mongo', 'publish', 'memory']

/** Lists all fields of the schema, breadth first. Objects with the same fields are listed only once. */
const listSchemaFields = (): string[] => {
  const found = new Set<string>()
  const seen: (readonly [string, z.ZodType][])[] = []
  const isSeen = (fields: readonly [string, z.ZodType][]): boolean =>
    seen.some(
      (known) =>
        known.length === fields.length &&
        known.every(([name, schema], index) => fields[index]![0] === name && fields[index]![1] === schema),
    )
  const queue: { schema: z.ZodType; parentPath: string }[] = [{ schema: topologySchema, parentPath: '' }]
  for (const { schema, parentPath } of queue) {
    const fields = unwrapSchema(schema).flatMap((node) => Object.entries(fieldsOf(node) ?? {}))
    if (fields.length > 0 && isSeen(fields)) continue
    seen.push(fields)
    for (const { part, schema: child } of childrenOf(schema)) {
      const text = toPartsText([part])
      const path = text === '[]' ? `${parentPath}[]` : parentPath === '' ? text : `${parentPath}.${text}`
      if (typeof part === 'object') found.add(path)
      queue.push({ schema: child, parentPath: unwrapSchema(schema).includes(steps) ? 'step' : path })
    }
  }
  return [...found].sort()
}

/** Lists the first column of all tables. The heading of a section can name the parent of its fields. */
const listDocumentedFields = (): string[] =>
  DOCUMENT.split(/^##+ /m).flatMap((section) => {
    const parentPath = /^[^\n]*: `([^`]+)`/.exec(section)?.[1]
    const cells = [...section.matchAll(/^\| (`.*?) \|/gm)].map(([, cell]) => cell!)
    const names = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name]) => name!))
    return names.map((name) => (parentPath === undefined ? name : `${parentPath}.${name}`))
  })

it('docs/topology.md lists every field of the schema once, and no other', () => {
  expect(listDocumentedFields().sort()).toEqual(listSchemaFields())
})

it('docs/topology.md has a valid example with every kind of step and every command of a store', () => {
  const { services } = parseTopology(EXAMPLE!, 'topology.yaml')
  const used = Object.values(services).flatMap(({ behaviour }) =>
    listStepLists(behaviour)
      .flatMap((list) => listSteps(list.steps, list.path))
      .flatMap(({ step }) => Object.keys(step)),
  )
  expect([...STEP_KINDS, ...COMMANDS].filter((name) => !used.includes(name))).toEqual([])
})
