/** Puts the templates that a service names under it, and remembers what came from where. */
import { type LocatedYaml, nearestName, type YamlPath } from '../kit/index.ts'
import type { RawPart } from './topology-sources.ts'

type Raw = Readonly<Record<string, unknown>>

const isMap = (value: unknown): value is Raw =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Maps are merged, all else is replaced. */
const mergeDeep = (base: Raw, over: Raw): Raw => {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(over)) {
    const below = base[key]
    merged[key] = isMap(below) && isMap(value) ? mergeDeep(below, value) : value
  }
  return merged
}

const has = (value: unknown, path: YamlPath): boolean => {
  let current = value
  for (const key of path) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, key)) return false
    current = (current as Record<PropertyKey, unknown>)[key]
  }
  return true
}

const namesOf = (template: unknown): readonly unknown[] =>
  Array.isArray(template) ? template : template === undefined ? [] : [template]

/** The part itself first, then its templates, the strongest first. */
const lineageOf = (
  part: RawPart,
  templates: ReadonlyMap<string, RawPart>,
  mistakes: string[],
  within: readonly string[],
): RawPart[] => {
  const bases = namesOf(part.value.template)
  const tell = (text: string): void => {
    mistakes.push(part.document.mistakeAt([...part.under, 'template'], text))
  }
  const found = [...bases].reverse().flatMap((name) => {
    if (typeof name !== 'string') {
      tell('must be the name of a template, or a list of names')
      return []
    }
    const base = templates.get(name)
    if (within.includes(name)) tell(`"${name}" leads back to itself`)
    else if (base === undefined) {
      const meant = nearestName(name, [...templates.keys()])
      tell(`names "${name}", which is no template${meant === undefined ? '' : `; did you mean "${meant}"?`}`)
    } else return lineageOf(base, templates, mistakes, [...within, name])
    return []
  })
  return [part, ...found]
}

/** The merged service as a document that tells a mistake at the place where it was written. */
export const mergeTemplates = (
  part: RawPart,
  templates: ReadonlyMap<string, RawPart>,
  mistakes: string[],
): LocatedYaml => {
  const lineage = lineageOf(part, templates, mistakes, [])
  const value = lineage.reduceRight<Raw>((base, { value: over }) => mergeDeep(base, over), {})
  return {
    value,
    mistakeAt: (path, text) => {
      const origin = lineage.find((one) => has(one.value, path)) ?? part
      return origin.document.mistakeAt([...origin.under, ...path], text)
    },
  }
}
