/** Images for trying things out: they run for ever, unless their command line says plainly how it ends. */
import type { StartContainer } from '../../ports/index.ts'
import type { ContainerModel, ImageModel, LogLine } from './container-model.ts'

const SHELLS = new Set(['sh', '/bin/sh', 'bash', '/bin/bash'])
/** No name of this domain will ever exist: RFC 2606 sees to that. */
const NOWHERE = /(^|\.)invalid(:\d+)?\//

const commandLine = ({ container }: StartContainer): string => {
  const words = [...(container.command ?? []), ...(container.args ?? [])]
  return SHELLS.has(words[0] ?? '') && words[1] === '-c' ? (words[2] ?? '') : words.join(' ')
}

interface Course {
  atMs: number
  code: number
  lines: LogLine[]
}

/** Carries out one step; undefined where only a real shell would know what to do. */
const take = (step: string, course: Course): 'next' | 'ended' | undefined => {
  const [word = '', ...rest] = step.trim().split(/\s+/)
  const number = Number(rest[0] ?? 0)
  switch (word) {
    case 'true':
    case 'false':
      course.code = word === 'true' ? 0 : 1
      return 'next'
    case 'echo':
      course.lines.push({ atMs: course.atMs, text: rest.join(' ').replace(/^(["'])(.*)\1$/, '$2') })
      course.code = 0
      return 'next'
    case 'sleep':
      if (Number.isNaN(number)) return undefined
      course.atMs += number * 1000
      course.code = 0
      return 'next'
    case 'exit':
      if (!Number.isInteger(number)) return undefined
      course.code = number
      return 'ended'
    default:
      return undefined
  }
}

/** How a line of `sleep`, `echo`, `true`, `false` and `exit` goes; undefined for any other. */
const courseOf = (line: string): Course | undefined => {
  if (line.trim() === '') return undefined
  const course: Course = { atMs: 0, code: 0, lines: [] }
  for (const part of line.split(/;|\n/)) {
    for (const step of part.split('&&')) {
      const outcome = take(step, course)
      if (outcome === undefined) return undefined
      if (outcome === 'ended') return course
      if (course.code !== 0) break
    }
  }
  return course
}

const programOf = (start: StartContainer): ContainerModel => {
  const course = courseOf(commandLine(start))
  if (course === undefined) return {}
  const { atMs, code, lines } = course
  return {
    exit: { afterMs: atMs, exitCode: code, reason: code === 0 ? 'Completed' : 'Error' },
    logs: (fromMs, toMs) => lines.filter((line) => line.atMs >= fromMs && line.atMs < toMs),
  }
}

/** What the registry of a cluster for trying things out knows. */
export const everydayImages = (image: string): ImageModel =>
  NOWHERE.test(image)
    ? {
        pullError: `failed to pull and unpack image "${image}": failed to resolve reference "${image}": no such host`,
      }
    : { run: programOf }
