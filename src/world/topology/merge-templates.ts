/** Merges a service with its templates, and keeps the origin of each value for error messages. */
import { findNearestName, isPlainObject, type LocatedYaml, type YamlPath } from '#kit'
import type { RawPart } from './topology-sources.ts'

type Raw = Readonly<Record<string, unknown>>

/** Merges maps; replaces other values. */
const mergeDeep = (base: Raw, overrides: Raw): Raw => {
  const merged: Record<string, unknown> = { ...base }
  for (const [key, value] of Object.entries(overrides)) {
    const current = base[key]
    merged[key] = isPlainObject(current) && isPlainObject(value) ? mergeDeep(current, value) : value
  }
  return merged
}

const hasPath = (value: unknown, path: YamlPath): boolean => {
  let current = value
  for (const key of path) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, key)) return false
    current = (current as Record<PropertyKey, unknown>)[key]
  }
  return true
}

const templateNamesOf = (template: unknown): readonly unknown[] =>
  Array.isArray(template) ? template : template === undefined ? [] : [template]

/** The part itself, then its templates in order of precedence. */
const listLayers = (
  part: RawPart,
  templates: ReadonlyMap<string, RawPart>,
  mistakes: string[],
  ancestors: readonly string[],
): RawPart[] => {
  const bases = templateNamesOf(part.value.template)
  const report = (text: string): void => {
    mistakes.push(part.document.mistakeAt([...part.path, 'template'], text))
  }
  const inherited = [...bases].reverse().flatMap((name) => {
    if (typeof name !== 'string') {
      report('must be the name of a template, or a list of names')
      return []
    }
    const base = templates.get(name)
    if (ancestors.includes(name)) report(`"${name}" includes itself`)
    else if (base === undefined) {
      const nearest = findNearestName(name, [...templates.keys()])
      report(
        `names "${name}", which is not a template${nearest === undefined ? '' : `; did you mean "${nearest}"?`}`,
      )
    } else return listLayers(base, templates, mistakes, [...ancestors, name])
    return []
  })
  return [part, ...inherited]
}

/** Returns the merged service as a document that locates mistakes in the original files. */
export const mergeTemplates = (
  part: RawPart,
  templates: ReadonlyMap<string, RawPart>,
  mistakes: string[],
): LocatedYaml => {
  const layers = listLayers(part, templates, mistakes, [])
  const value = layers.reduceRight<Raw>((base, { value: overrides }) => mergeDeep(base, overrides), {})
  return {
    value,
    mistakeAt: (path, text) => {
      const origin = layers.find((layer) => hasPath(layer.value, path)) ?? part
      return origin.document.mistakeAt([...origin.path, ...path], text)
    },
  }
}
