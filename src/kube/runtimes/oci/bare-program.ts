/** Images with nothing in them but one program, as those built from scratch: no shell, no tools. */
import { spawnSync } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { lazily } from '../../../kit/index.ts'
import type { ImageProgram, ProgramMount } from './image-catalogue.ts'

/** What the dynamic loader needs to start programs of the host, the loader included, where it expects them. */
const librariesOf = (programs: readonly string[]): string[] => {
  const { stdout } = spawnSync('ldd', programs, { encoding: 'utf8' })
  return [...new Set([...stdout.matchAll(/(?:=> |^\t)(\/\S+)/gm)].map(([, path]) => path!))]
}

const shown = (source: string, destination: string): ProgramMount => ({
  source: realpathSync(source),
  destination,
})

/** It reaps what comes to it and ends when it is told to. */
export const pauseProgram: () => ImageProgram = lazily(() => ({
  entrypoint: ['/pause', '-c', 'trap "exit 0" TERM INT; while :; do /wait 100000 & wait; done'],
  bare: true,
  mounts: [
    shown('/bin/sh', '/pause'),
    shown('/bin/sleep', '/wait'),
    ...librariesOf(['/bin/sh', '/bin/sleep']).map((path) => shown(path, path)),
  ],
  user: 65_535,
  sizeBytes: 320_000,
}))
