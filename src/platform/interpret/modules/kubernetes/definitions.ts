/** The definitions of objects in the arguments of a module, in all their forms. */
import { isPlainObject } from '#kit'
import { isTrue, pythonType } from '../../python/python-text.ts'
import { UnsupportedPlaybook } from '../../unsupported-playbook.ts'
import { readAnsibleYaml, YamlMistake } from '../../yaml/read-ansible-yaml.ts'

export type Definition = Record<string, any>

/** A mistake in a definition; the message is Python's. */
export class DefinitionError extends Error {}

const fromYaml = (text: string): readonly unknown[] => {
  try {
    return readAnsibleYaml(text).documents
  } catch (error) {
    // PyYAML's message cannot be derived from another parser.
    if (error instanceof YamlMistake) throw new DefinitionError(error.message)
    throw error
  }
}

const toDefinitions = (value: unknown): readonly unknown[] => {
  if (typeof value === 'string') return fromYaml(value)
  if (Array.isArray(value))
    return value.flatMap((item) => (typeof item === 'string' ? fromYaml(item) : [item]))
  return [value]
}

const setDefault = (map: Definition, key: string, value: unknown): void => {
  if (!(key in map)) map[key] = value
}

const mergeParameters = (definition: unknown, params: Readonly<Record<string, unknown>>): Definition => {
  if (!isPlainObject(definition))
    throw new DefinitionError(`'${pythonType(definition).slice(8, -2)}' object has no attribute 'setdefault'`)
  const result = definition as Definition
  setDefault(result, 'kind', params.kind ?? null)
  setDefault(result, 'apiVersion', params.api_version ?? null)
  setDefault(result, 'metadata', {})
  if (!isPlainObject(result.metadata)) {
    if (!isTrue(params.namespace) && !isTrue(params.name) && !isTrue(params.generate_name)) return result
    throw new DefinitionError(
      `'${pythonType(result.metadata).slice(8, -2)}' object has no attribute 'setdefault'`,
    )
  }
  if (isTrue(params.namespace)) setDefault(result.metadata, 'namespace', params.namespace)
  if (isTrue(params.name)) setDefault(result.metadata, 'name', params.name)
  if (isTrue(params.generate_name)) setDefault(result.metadata, 'generateName', params.generate_name)
  return result
}

const flatten = (list: Definition, params: Readonly<Record<string, unknown>>): Definition[] =>
  ((list.items ?? []) as unknown[]).map((item) => {
    if (isPlainObject(item)) {
      setDefault(item as Definition, 'kind', String(list.kind).slice(0, -'List'.length))
      setDefault(item as Definition, 'apiVersion', list.apiVersion)
    }
    return mergeParameters(item, params)
  })

/** Fields of the definition have precedence over the options of the module. Lists are replaced by their items. */
export const createDefinitions = (params: Readonly<Record<string, unknown>>): Definition[] => {
  if (isTrue(params.src)) throw new UnsupportedPlaybook('the option src of a Kubernetes module')
  const written = isTrue(params.resource_definition) ? toDefinitions(params.resource_definition) : [{}]
  const chosen = isTrue(params.resource_definition) ? written.filter(isTrue) : written
  return chosen.flatMap((definition) => {
    const merged = mergeParameters(structuredClone(definition), params)
    const { kind } = merged
    return typeof kind === 'string' && kind.endsWith('List') ? flatten(merged, params) : [merged]
  })
}
