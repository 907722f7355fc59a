/** Reads what a process finds on its disk at start: its slice of the topology, and its configuration. */
import { readFileSync } from 'node:fs'
import type { Behaviour, ServiceSlice } from '../../spec/index.ts'
import { type ImageContent, unpackRelease } from '../ports/index.ts'
import { StartFailure } from './start-failure.ts'

const read = (path: string): Buffer => {
  try {
    return readFileSync(path)
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new StartFailure(
      `open ${path}: ${missing ? 'no such file or directory' : (error as Error).message}`,
    )
  }
}

const parse = (text: string, path: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new StartFailure(`${path} is not valid JSON: ${(error as Error).message}`)
  }
}

const unpack = (path: string): ImageContent => {
  const file = read(path)
  try {
    return unpackRelease(file)
  } catch {
    throw new StartFailure(`${path} is damaged`)
  }
}

/** Of services that share an image the one whose name the pod's begins with, and of those the longest. */
const chooseSlice = (slices: readonly ServiceSlice[], pod: string): ServiceSlice | undefined => {
  const named = slices.filter(({ service }) => pod === service || pod.startsWith(`${service}-`))
  return named.sort((one, other) => other.service.length - one.service.length)[0] ?? slices[0]
}

/** What the image is; `pod` is the pod's name. */
export const readSlice = (path: string, pod: string): ServiceSlice => {
  const content = unpack(path)
  if (!Array.isArray(content)) return content as ServiceSlice
  const chosen = chooseSlice(content, pod)
  if (chosen === undefined) throw new StartFailure(`${path} has no service`)
  return chosen
}

/** `key=value` or `key: value`, as Java reads it. */
const parseProperties = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '' && !/^[#!]/.test(line))
      .map((line) => {
        const mark = line.search(/[=:]/)
        return mark < 0 ? [line, ''] : [line.slice(0, mark).trim(), line.slice(mark + 1).trim()]
      }),
  )

/** By the names that the behaviour gives them. */
export const readConfig = (files: Behaviour['files']): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(files ?? {}).map(([name, { path, format }]) => {
      const text = read(path).toString()
      if (format === 'json') return [name, parse(text, path)]
      return [name, format === 'properties' ? parseProperties(text) : text]
    }),
  )
