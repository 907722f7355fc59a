/** Tests that docs/simulator.md says how each fault is modelled, and names the chaos objects that it creates. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { REPOSITORY } from '#kit'
import { listFaultNames } from './index.ts'

const readText = (...path: string[]): string => readFileSync(join(REPOSITORY, ...path), 'utf8')

/** The changes that the page lists for each fault, by the name of the fault. */
const documentedFaults = (): ReadonlyMap<string, string> => {
  const [, rest = ''] = readText('docs', 'simulator.md').split('## How each fault is modelled')
  const [section = ''] = rest.split('\n## ')
  return new Map(
    [...section.matchAll(/^\| ([a-z-]+) \| (.+?) \|/gm)]
      .filter(([, name]) => name !== 'fault' && !name!.startsWith('---'))
      .map(([, name, changes]) => [name!, changes!]),
  )
}

const CHAOS_KIND = /(?:Network|Stress|IO|Time|DNS|Pod)Chaos/g

it('documents exactly the faults that exist', () => {
  expect([...documentedFaults().keys()]).toEqual(listFaultNames())
})

it.each(listFaultNames())('documents the chaos objects and the exec of %s', (name) => {
  const source = readText('src', 'exam', 'faults', name, 'fault.ts')
  const changes = documentedFaults().get(name) ?? ''
  const created = [...source.matchAll(/^ *kind: '(\w+Chaos)'/gm)].map(([, kind]) => kind)
  expect(new Set(changes.match(CHAOS_KIND))).toEqual(new Set(created))
  if (/\b(?:changeStore|runInStore)\(/.test(source)) expect(changes).toContain('exec in')
})
