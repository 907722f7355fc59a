/** Tests of the mistakes reported for YAML, with file, line and path. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readYaml } from './located-yaml.ts'

const schema = z.strictObject({
  name: z.string().min(1),
  doors: z.array(
    z.strictObject({
      port: z.int().positive(),
      kind: z.enum(['in', 'out']),
      names: z.record(z.string(), z.string()).optional(),
    }),
  ),
  load: z
    .discriminatedUnion('loop', [
      z.strictObject({ loop: z.literal('open'), rate: z.number() }),
      z.strictObject({ loop: z.literal('closed'), users: z.int() }),
    ])
    .optional(),
  env: z
    .union([
      z.union([z.string(), z.number()]),
      z.union([
        z.strictObject({ secret: z.string(), key: z.string() }),
        z.strictObject({ field: z.string() }),
      ]),
    ])
    .optional(),
  size: z.union([z.number(), z.strictObject({ of: z.string() })]).optional(),
})

const mistakesIn = (text: string): string[] => {
  const reading = readYaml(schema, text, 'a.yaml')
  return 'mistakes' in reading ? reading.mistakes : []
}

describe('readYaml', () => {
  it('parses YAML and JSON', () => {
    const reading = readYaml(schema, '{"name": "a", "doors": [{"port": 1, "kind": "in"}]}', 'a.json')
    expect(reading).toMatchObject({ value: { name: 'a', doors: [{ port: 1, kind: 'in' }] } })
  })

  it('reports every mistake with file, line and path', () => {
    const text =
      'name: 3\ndoors:\n  - port: 0\n    kind: up\n    colour: red\n  - kind: in\nload:\n  loop: wide\n'
    expect(mistakesIn(text)).toEqual([
      'a.yaml:1: name must be text, not 3',
      'a.yaml:3: doors[0].port must be more than 0, not 0',
      'a.yaml:4: doors[0].kind must be one of in, out, not up',
      'a.yaml:5: doors[0].colour is not a known field',
      'a.yaml:6: doors[1].port is missing',
      'a.yaml:8: load.loop must be one of open, closed',
    ])
  })

  it('reports the mistakes of the closest member of a union', () => {
    expect(mistakesIn('name: a\ndoors: []\nenv: {secret: b}')).toEqual(['a.yaml:3: env.key is missing'])
    expect(mistakesIn('name: a\ndoors: []\nsize: {of: 4}')).toEqual(['a.yaml:3: size.of must be text, not 4'])
  })

  it('reports the line of a syntax error, and says what is expected if the document is empty', () => {
    expect(mistakesIn('name: a\ndoors: [\n')[0]).toMatch(/^a\.yaml:\d: /)
    expect(mistakesIn('name: a\nname: b\ndoors: []')[0]).toMatch(/^a\.yaml:2: .*unique/)
    expect(mistakesIn('')).toEqual(['a.yaml:1: the document must be a map, but is empty'])
    expect(mistakesIn('name: a\n---\nname: b')).toEqual(['a.yaml:2: a second document begins here'])
    expect(mistakesIn(`name: a\ndoors: ${'['.repeat(20_000)}`)).toEqual([
      'a.yaml:2: the document is nested too deeply',
    ])
  })

  it('reports aliases without an anchor, aliases inside the node that they refer to, and too many aliases', () => {
    expect(mistakesIn('name: a\ndoors: *nobody')).toEqual([
      'a.yaml:2: the alias *nobody has no anchor before it',
    ])
    expect(mistakesIn('name: a\ndoors: &all\n  - *all')).toEqual([
      'a.yaml:3: the alias *all refers to a node that contains it',
    ])
    const bomb = Array.from({ length: 12 }, (_, level) => {
      const item = level === 0 ? 'a' : `*x${level - 1}`
      return `x${level}: &x${level} [${Array.from({ length: 9 }, () => item).join()}]`
    })
    expect(mistakesIn(bomb.join('\n'))).toEqual(['a.yaml:1: there are too many aliases'])
  })
})
