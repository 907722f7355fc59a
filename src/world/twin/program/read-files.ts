/** Reads the files of a process at start: its slice of the topology, and its configuration. */
import type { Behaviour, ProgramFiles, ServiceSlice } from '#spec'
import { type ImageContent, unpackRelease } from '#world/twin/ports'
import { StartFailure } from './start-failure.ts'

const readBytes = (files: ProgramFiles, path: string): Uint8Array => {
  try {
    return files.read(path)
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new StartFailure(
      `open ${path}: ${missing ? 'no such file or directory' : (error as Error).message}`,
    )
  }
}

const parseJson = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new StartFailure(`${path} is not valid JSON: ${(error as Error).message}`)
  }
}

const readContent = (files: ProgramFiles, path: string): ImageContent => {
  const file = readBytes(files, path)
  try {
    return unpackRelease(file)
  } catch {
    throw new StartFailure(`${path} is damaged`)
  }
}

/** Chooses the service whose name is the longest prefix of the pod's name; the first service if none is. */
export const chooseSlice = (slices: readonly ServiceSlice[], pod: string): ServiceSlice | undefined => {
  const candidates = slices.filter(({ service }) => pod === service || pod.startsWith(`${service}-`))
  return candidates.sort((a, b) => b.service.length - a.service.length)[0] ?? slices[0]
}

/** Reads the service of the image; `pod` is the name of the pod. */
export const readSlice = (files: ProgramFiles, path: string, pod: string): ServiceSlice => {
  const content = readContent(files, path)
  if (!Array.isArray(content)) return content as ServiceSlice
  const chosen = chooseSlice(content, pod)
  if (chosen === undefined) throw new StartFailure(`${path} has no service`)
  return chosen
}

/** Parses Java properties: `key=value` or `key: value`. */
const parseProperties = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/^[#!]/.test(line))
      .map((line) => {
        const separator = line.search(/[=:]/)
        return separator < 0
          ? [line, '']
          : [line.slice(0, separator).trim(), line.slice(separator + 1).trim()]
      }),
  )

/** Returns the contents of the configuration files, by their names in the behaviour. */
export const readConfig = (files: ProgramFiles, declared: Behaviour['files']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(declared ?? {}).map(([name, { path, format }]) => {
      const text = Buffer.from(readBytes(files, path)).toString()
      if (format === 'json') return [name, parseJson(text, path)]
      return [name, format === 'properties' ? parseProperties(text) : text]
    }),
  )
