/**
 * Builds src/platform/kube/schema/data/definitions.json, which describes each served type on one line.
 *
 *   node scripts/build-schema.ts OPENAPI_V2_JSON [FOLDER_WITH_K8S.IO_GO_SOURCES]
 *
 * Without the second argument, the Go sources are downloaded from the archive of Debian.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { unpackGoSources } from './debian-packages.ts'
import { type GoFieldFacts, GoStructs } from './go-structs.ts'
import { metricsDefinitions } from './metrics-definitions.ts'
import type { Definition, Property } from './openapi-definition.ts'
import { isServed, SERVED_GROUP_VERSIONS } from './served-definitions.ts'

/** The short prefixes of packages, for names such as `core.v1.Pod` and `meta.v1.Time`. */
const SHORT_PREFIXES: Record<string, string> = {
  'io.k8s.apimachinery.pkg.apis.meta.': 'meta.',
  'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.': 'apiextensions.',
  'io.k8s.metrics.pkg.apis.metrics.': 'metrics.',
  'io.k8s.api.': '',
}

/** Types that JSON encodes as one value, and their names in field types. */
const VALUE_TYPES: Record<string, string> = {
  'meta.v1.Time': 'time',
  'meta.v1.MicroTime': 'micro-time',
  'meta.v1.Duration': 'duration',
  'meta.v1.FieldsV1': 'fields',
  'io.k8s.apimachinery.pkg.runtime.RawExtension': 'raw',
  'io.k8s.apimachinery.pkg.api.resource.Quantity': 'quantity',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': 'int-or-string',
  'apiextensions.v1.JSON': 'json',
  'apiextensions.v1.JSONSchemaPropsOrArray': 'schema-or-schemas',
  'apiextensions.v1.JSONSchemaPropsOrBool': 'schema-or-bool',
  'apiextensions.v1.JSONSchemaPropsOrStringArray': 'schema-or-strings',
}

/** The Go names of field types, unless the source declares another one. */
const GO_NAMES: Record<string, string> = {
  string: 'string', int32: 'int32', int64: 'int64', double: 'float64', bool: 'bool', byte: '[]uint8',
  time: 'v1.Time', 'micro-time': 'v1.MicroTime', duration: 'v1.Duration', fields: 'v1.FieldsV1',
  raw: 'runtime.RawExtension', quantity: 'resource.Quantity', 'int-or-string': 'intstr.IntOrString',
  json: 'v1.JSON', 'schema-or-schemas': 'v1.JSONSchemaPropsOrArray', 'schema-or-bool': 'v1.JSONSchemaPropsOrBool',
  'schema-or-strings': 'v1.JSONSchemaPropsOrStringArray',
} // biome-ignore format: a table

const shortName = (name: string): string => {
  const prefix = Object.keys(SHORT_PREFIXES).find((long) => name.startsWith(long))
  return prefix === undefined ? name : SHORT_PREFIXES[prefix] + name.slice(prefix.length)
}

const typeOf = (property: Property): string => {
  if (property.$ref !== undefined) {
    const name = shortName(property.$ref.replace('#/definitions/', ''))
    return VALUE_TYPES[name] ?? name
  }
  if (property.items !== undefined) return `[]${typeOf(property.items)}`
  if (property.additionalProperties !== undefined) return `{}${typeOf(property.additionalProperties)}`
  if (property.type === 'integer') return property.format ?? 'int64'
  if (property.type === 'number') return 'double'
  if (property.type === 'boolean') return 'bool'
  if (property.type === 'string') return property.format === 'byte' ? 'byte' : 'string'
  throw new Error(`no type for ${JSON.stringify(property)}`)
}

const goNameOf = (type: string): string => {
  if (type.startsWith('[]')) return `[]${goNameOf(type.slice(2))}`
  if (type.startsWith('{}')) return `map[string]${goNameOf(type.slice(2))}`
  return GO_NAMES[type] ?? type.split('.').slice(-2).join('.')
}

const withoutUndefined = (facts: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined))

const encodeField = (property: Property, go: GoFieldFacts): unknown[] => {
  const type = typeOf(property)
  const extras = withoutUndefined({
    l: property['x-kubernetes-list-type'],
    k: property['x-kubernetes-list-map-keys'],
    a: property['x-kubernetes-map-type'],
    m: property['x-kubernetes-patch-merge-key'],
    s: property['x-kubernetes-patch-strategy'],
    e: property.enum ?? property.items?.enum ?? property.additionalProperties?.enum,
    d: go.default,
    g: go.type === goNameOf(type) ? undefined : go.type,
  })
  const typeText = `${go.pointer ? '*' : ''}${type}${go.omitEmpty ? '' : '!'}`
  const number = go.numbers.length > 1 ? go.numbers : (go.numbers[0] ?? 0)
  return Object.keys(extras).length === 0 ? [typeText, number] : [typeText, number, extras]
}

const packageOf = (name: string): string =>
  name
    .split('.')
    .slice(0, -1)
    .join('/')
    .replace(/^io\/k8s\//, 'k8s.io/')

const encodeDefinition = (
  name: string,
  definition: Definition,
  structs: GoStructs,
  retainKeysTypes: ReadonlySet<string>,
): string => {
  const struct = name.split('.').at(-1)!
  const go = structs.fieldsOf(packageOf(name), struct)
  const fields: Record<string, unknown> = {}
  for (const [field, property] of Object.entries(definition.properties ?? {})) {
    const facts = go.get(field)
    if (facts === undefined) throw new Error(`${name}.${field} is not declared in the Go sources`)
    fields[field] = encodeField(property, facts)
  }
  const kinds = definition['x-kubernetes-group-version-kind'] as {
    group: string
    version: string
    kind: string
  }[]
  const served = kinds?.filter(({ group, version }) => SERVED_GROUP_VERSIONS.has(`${group}/${version}`))
  return `${JSON.stringify(shortName(name))}:${JSON.stringify(
    withoutUndefined({
      k: served?.map(({ group, version, kind }) => `${group}/${version}/${kind}`),
      r: definition.required,
      a: definition['x-kubernetes-map-type'],
      u: definition['x-kubernetes-unions'],
      t: retainKeysTypes.has(shortName(name)) ? 1 : undefined,
      f: fields,
    }),
  )}`
}

/**
 * Types with the patch strategy `retainKeys`: a strategic merge patch removes the fields that its `$retainKeys` does not list.
 * OpenAPI declares the strategy in the fields that use the type.
 */
const findRetainKeysTypes = (definitions: readonly Definition[]): Set<string> =>
  new Set(
    definitions
      .flatMap(({ properties }) => Object.values(properties ?? {}))
      .filter((property) => String(property['x-kubernetes-patch-strategy']).includes('retainKeys'))
      .map((property) => typeOf(property).replace('[]', '')),
  )

const refsOf = (definition: Definition): string[] =>
  [...JSON.stringify(definition).matchAll(/"#\/definitions\/([^"]+)"/g)].map(([, name]) => name!)

const reachableNames = (all: Record<string, Definition>): string[] => {
  const seen = new Set<string>()
  const queue = Object.keys(all).filter(isServed)
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    queue.push(...refsOf(all[name]!))
  }
  return [...seen].filter((name) => VALUE_TYPES[shortName(name)] === undefined).sort()
}

const [openApiFile, goSources = unpackGoSources()] = process.argv.slice(2)
if (openApiFile === undefined)
  throw new Error('the first argument must be the file with the OpenAPI v2 document')
const document = JSON.parse(readFileSync(openApiFile, 'utf8')) as { definitions: Record<string, Definition> }
const all: Record<string, Definition> = { ...document.definitions, ...metricsDefinitions }
const structs = new GoStructs(goSources)
const names = reachableNames(all)
const retainKeysTypes = findRetainKeysTypes(names.map((name) => all[name]!))
const lines = names.map((name) => encodeDefinition(name, all[name]!, structs, retainKeysTypes))
const target = join(import.meta.dirname, '../src/platform/kube/schema/data/definitions.json')
writeFileSync(target, `{\n${lines.join(',\n')}\n}\n`)
console.log(`${lines.length} definitions`)
