/** Proves that a service's part of the topology comes out of its file as it went in, and cannot be read there. */
import { expect, it } from 'vitest'
import type { Defect, ServiceSlice } from '../../spec/index.ts'
import { packReleases, unpackRelease } from './slice-file.ts'

const release = (defects?: readonly Defect[]): ServiceSlice => ({
  system: 'shop',
  service: 'café',
  release: '1',
  wires: {},
  behaviour: {
    wire: 'http',
    endpoints: { 'GET /': { reply: '"äöü 漢字"' } },
    ...(defects === undefined ? {} : { defects }),
  },
})

const releases = [
  release(),
  release([{ kind: 'leak' }]),
  release([{ kind: 'crash' }]),
  release([{ kind: 'failing-endpoint', endpoint: 'GET /' }]),
]

it('gives back what went in, alone and of several services', () => {
  expect(packReleases(releases).map(unpackRelease)).toEqual(releases)
  expect(packReleases([releases, []]).map(unpackRelease)).toEqual([releases, []])
})

it('makes files of one size that have nothing in common', () => {
  const files = packReleases(releases)
  expect(new Set(files.map(({ length }) => length)).size).toBe(1)
  const [one, ...others] = files
  for (const other of others) {
    const equal = one!.filter((byte, at) => byte === other[at]).length
    expect(equal).toBeLessThan(one!.length / 16)
  }
})

it('makes the same file of the same content', () => {
  expect(packReleases(releases)).toEqual(packReleases(structuredClone(releases)))
})

it('shows no word of it', () => {
  const words = JSON.stringify(releases).match(/[\w-]{4,}/g)!
  expect(words).toEqual(expect.arrayContaining(['leak', 'failing-endpoint', 'shop']))
  for (const file of packReleases(releases))
    expect(words.filter((word) => Buffer.from(file).includes(word))).toEqual([])
})
