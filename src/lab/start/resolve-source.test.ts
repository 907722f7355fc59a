/** Tests which imports are resolved without Node.js. */
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { resolveSource } from './resolve-source.ts'

const SOURCES = new URL('../../', import.meta.url).href
const resolve = (specifier: string, importer = import.meta.url) => resolveSource(SOURCES, specifier, importer)

it('resolves a path relative to the importer', () => {
  expect(resolve('./resolve-source.ts')).toBe(`${SOURCES}lab/start/resolve-source.ts`)
  expect(resolve('../../kit/index.ts')).toBe(`${SOURCES}kit/index.ts`)
})

it('resolves a room to its index.ts', () => {
  const url = resolve('#platform/kube')
  expect(url).toBe(`${SOURCES}platform/kube/index.ts`)
  expect(existsSync(fileURLToPath(url!))).toBe(true)
})

it('leaves packages, built-in modules and files outside the sources to Node.js', () => {
  for (const specifier of ['yaml', 'node:fs', '../../../scripts/bench.ts', './data.json', 'file:///tmp/a.ts'])
    expect(resolve(specifier), specifier).toBeUndefined()
})

it('leaves the imports of other packages to Node.js', () => {
  const importer = new URL('../../../node_modules/chalk/index.js', import.meta.url).href
  expect(resolve('#ansi-styles', importer)).toBeUndefined()
  expect(resolve('./other.ts', importer)).toBeUndefined()
  expect(resolveSource(SOURCES, '#kit', undefined)).toBeUndefined()
})
