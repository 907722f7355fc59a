/** The files of a topology before validation: raw services and templates with their locations. */
import { z } from 'zod'
import { checkDocument, type LocatedYaml, readDocument, type YamlPath } from '#kit'
import { port } from './port-schema.ts'
import { serviceSchema } from './service-schema.ts'

type Raw = Readonly<Record<string, unknown>>

/** A part of a document: a service or a template. */
export interface RawPart {
  readonly value: Raw
  readonly document: LocatedYaml
  /** The path of the part in its document. */
  readonly path: YamlPath
}

const map = z.record(z.string(), z.unknown())

/** Only the identity is checked here; the API server validates the rest. */
const kubernetesObject = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({ name: z.string().min(1) }),
})

/** A valid name of a Service or a namespace. */
export const label = z
  .string()
  .max(63)
  .regex(/^[a-z](?:[a-z0-9-]*[a-z0-9])?$/, {
    error: 'must consist of lower-case letters, digits and -, start with a letter and not end with -',
  })

const headSchema = z.strictObject({
  system: label,
  about: z
    .string()
    .regex(/^[A-Z].*[^.]$/s, { error: 'must start with a capital letter and not end with a full stop' })
    .optional(),
  namespace: label.optional(),
  templates: z.record(z.string(), map).optional(),
  objects: z.array(kubernetesObject).optional(),
  entryPoints: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        service: z.string(),
        port,
        path: z.string().startsWith('/', { error: 'must start with /' }).optional(),
      }),
    )
    .optional(),
  services: z.record(z.string(), map).optional(),
})

/** The schema of the whole file. Messages about a misplaced field use it to say where the field belongs. */
export const topologySchema: z.ZodType = headSchema.extend({
  services: z.record(z.string(), serviceSchema),
})

export type TopologyHead = z.infer<typeof headSchema>

export interface TopologySources {
  readonly head: TopologyHead
  readonly document: LocatedYaml
  readonly services: ReadonlyMap<string, RawPart>
  readonly templates: ReadonlyMap<string, RawPart>
  readonly mistakes: readonly string[]
}

export interface SourceFile {
  /** The name for error messages. */
  readonly file: string
  readonly text: string
}

const toParts = (field: string, values: Readonly<Record<string, Raw>> | undefined, document: LocatedYaml) =>
  Object.entries(values ?? {}).map(
    ([name, value]) => [name, { value, document, path: [field, name] }] as const,
  )

const readServiceFile = (
  name: string,
  { file, text }: SourceFile,
  services: Map<string, RawPart>,
): string[] => {
  const document = readDocument(text, file)
  if ('mistakes' in document) return document.mistakes
  const reading = checkDocument(map, document)
  if ('mistakes' in reading) return reading.mistakes
  if (services.has(name))
    return [document.mistakeAt([], `defines the service "${name}", which the topology already defines`)]
  services.set(name, { value: reading.value, document, path: [] })
  return []
}

/** `serviceFiles` are the files with a single service each, by the name of the service. */
export const readSources = (
  main: SourceFile,
  serviceFiles: Readonly<Record<string, SourceFile>>,
): TopologySources | { readonly mistakes: string[] } => {
  const document = readDocument(main.text, main.file)
  if ('mistakes' in document) return document
  const reading = checkDocument(headSchema, document, { schema: topologySchema, path: [] })
  if ('mistakes' in reading) return reading
  const services = new Map<string, RawPart>(toParts('services', reading.value.services, document))
  const mistakes = Object.entries(serviceFiles).flatMap(([name, file]) =>
    readServiceFile(name, file, services),
  )
  const templates = new Map<string, RawPart>(toParts('templates', reading.value.templates, document))
  if (services.size === 0 && mistakes.length === 0) mistakes.push(document.mistakeAt([], 'has no services'))
  return { head: reading.value, document, services, templates, mistakes }
}
