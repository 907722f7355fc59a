/** A catalogue of well-known images. Programs of this machine, and a few of Remedium, run in their place. */

import { PROGRAM_FOLDER } from '#machine/oci'
import { programPath } from '#platform/images'
import { pauseProgram } from '../containers/pause-program.ts'
import type { ImageCatalogue, ImageProgram } from './image-catalogue.ts'

const NODE = `${PROGRAM_FOLDER}/bin/node`
/** The PATH of containers that do not set one. */
export const SEARCH_PATH = `/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:${PROGRAM_FOLDER}/bin`

/** A catalogue entry with its tags; other tags do not exist. */
interface CatalogueEntry {
  program: ImageProgram | (() => ImageProgram)
  tags: readonly string[]
}

/** `minorVersions('1.28', '1.30')` returns 1.28, 1.29 and 1.30. */
const minorVersions = (first: string, last: string): string[] => {
  const [major, from = 0] = first.split('.').map(Number)
  const [, to = 0] = last.split('.').map(Number)
  return Array.from({ length: to - from + 1 }, (_, index) => `${major}.${from + index}`)
}

const withSuffixes = (tags: readonly string[], ...suffixes: string[]): string[] =>
  tags.flatMap((tag) => [tag, ...suffixes.map((suffix) => `${tag}-${suffix}`)])

/** An entrypoint that runs `program` if the first argument is an option or not a program, like docker-entrypoint.sh. */
const entrypointWithDefault = (program: string): readonly string[] => [
  '/bin/sh',
  '-c',
  `if [ "\${1#-}" != "$1" ] || ! command -v "$1" > /dev/null; then set -- ${program} "$@"; fi; exec "$@"`,
  'entrypoint',
]

const webServer = (
  server: string,
  root: string,
  welcome: string,
  stopSignal: NodeJS.Signals,
): ImageProgram => ({
  entrypoint: [NODE, `${PROGRAM_FOLDER}/web-server.ts`],
  environment: { WEB_SERVER: JSON.stringify({ server, root, port: 80, welcome }) },
  mounts: [{ source: programPath('web-server'), destination: `${PROGRAM_FOLDER}/web-server.ts` }],
  stopSignal,
  sizeBytes: 72_000_000,
})

const shell = (command: string, sizeBytes: number): ImageProgram => ({
  entrypoint: [],
  command: [command],
  sizeBytes,
})

const entries: Readonly<Record<string, CatalogueEntry>> = {
  'docker.io/library/busybox': {
    program: shell('sh', 2_200_000),
    tags: [
      ...withSuffixes(minorVersions('1.28', '1.37'), 'glibc', 'musl'),
      '1.36.1',
      '1.28.4',
      '1',
      'stable',
      'latest',
    ],
  },
  'docker.io/library/alpine': {
    program: shell('/bin/sh', 3_600_000),
    tags: [...minorVersions('3.16', '3.22'), '3', 'latest'],
  },
  'docker.io/library/debian': {
    program: shell('bash', 48_000_000),
    tags: [...withSuffixes(['bookworm', 'bullseye', 'trixie', '11', '12', '13', 'stable'], 'slim'), 'latest'],
  },
  'docker.io/library/ubuntu': {
    program: shell('/bin/bash', 29_000_000),
    tags: ['20.04', '22.04', '24.04', 'focal', 'jammy', 'noble', 'latest'],
  },
  'docker.io/library/python': {
    program: shell('python3', 130_000_000),
    tags: [
      ...withSuffixes([...minorVersions('3.9', '3.13'), '3'], 'slim', 'alpine'),
      'slim',
      'alpine',
      'latest',
    ],
  },
  'docker.io/library/node': {
    program: {
      entrypoint: entrypointWithDefault('node'),
      command: ['node'],
      // Takes precedence over a node in the host's /usr.
      environment: { PATH: `${PROGRAM_FOLDER}/bin:${SEARCH_PATH}` },
      sizeBytes: 160_000_000,
    },
    tags: [...withSuffixes(['18', '20', '22', '24', 'lts'], 'slim', 'alpine'), 'slim', 'alpine', 'latest'],
  },
  'docker.io/curlimages/curl': {
    program: {
      entrypoint: entrypointWithDefault('curl'),
      command: ['curl'],
      user: 100,
      sizeBytes: 9_800_000,
    },
    tags: [
      ...minorVersions('8.0', '8.16').map((version) => `${version}.0`),
      '8.4.0',
      '8.10.1',
      '8.11.1',
      'latest',
    ],
  },
  'docker.io/library/nginx': {
    program: webServer('nginx', '/usr/share/nginx/html', 'Welcome to nginx!', 'SIGQUIT'),
    tags: [
      ...withSuffixes([...minorVersions('1.14', '1.29'), '1', 'stable', 'mainline'], 'alpine'),
      ...['1.14.2', '1.16.1', '1.19.10', '1.25.3', '1.27.0', 'alpine', 'latest'],
    ],
  },
  'docker.io/library/httpd': {
    program: webServer('Apache', '/usr/local/apache2/htdocs', 'It works!', 'SIGWINCH'),
    tags: [...withSuffixes(['2', '2.4'], 'alpine'), 'alpine', 'latest'],
  },
  'registry.k8s.io/pause': {
    program: pauseProgram,
    tags: [...minorVersions('3.1', '3.10'), 'latest'],
  },
  // Chaos Mesh replaces the image of a container with this one for pod-failure.
  'docker.io/library/pause': { program: pauseProgram, tags: ['latest'] },
}

/** The default images of a cluster. */
export const wellKnownImages: ImageCatalogue = (image) => {
  const colon = image.lastIndexOf(':')
  const entry = entries[image.slice(0, colon)]
  if (entry?.tags.includes(image.slice(colon + 1)) !== true) return undefined
  return typeof entry.program === 'function' ? entry.program() : entry.program
}
