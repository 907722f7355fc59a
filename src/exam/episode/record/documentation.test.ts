/** Tests that docs/episodes.md names every type of event, and no other. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { REPOSITORY } from '#kit'

const readText = (...path: string[]): string => readFileSync(join(REPOSITORY, ...path), 'utf8')

/** The types of the union `EpisodeEvent`, which exists only in the source. */
const declaredTypes = (): string[] => {
  const [, union = ''] = readText('src', 'spec', 'episode.ts').split('export type EpisodeEvent =')
  const [members = ''] = union.split('\nexport interface')
  return [...members.matchAll(/readonly type: '([a-z-]+)'/g)].map(([, type]) => type!)
}

/** The names in code spans before the heading "The record" that end like the type of an event. */
const documentedTypes = (): string[] => {
  const [stages = ''] = readText('docs', 'episodes.md').split('## The record')
  return [...stages.matchAll(/`((?:[a-z]+-)+(?:[a-z]+ed|taken|given|run|back))`/g)].map(([, type]) => type!)
}

it('documents exactly the declared events', () => {
  const declared = declaredTypes()
  expect(declared).toContain('micro-remed-checked')
  expect(new Set(documentedTypes())).toEqual(new Set(declared))
})
