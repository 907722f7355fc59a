/** The tags of well-known images, by repository. Other tags do not exist. */

/** `minorVersions('1.28', '1.30')` returns 1.28, 1.29 and 1.30. */
const minorVersions = (first: string, last: string): string[] => {
  const [major, from = 0] = first.split('.').map(Number)
  const [, to = 0] = last.split('.').map(Number)
  return Array.from({ length: to - from + 1 }, (_, index) => `${major}.${from + index}`)
}

const withSuffixes = (tags: readonly string[], ...suffixes: string[]): string[] =>
  tags.flatMap((tag) => [tag, ...suffixes.map((suffix) => `${tag}-${suffix}`)])

/** Chaos Mesh replaces the image of a container with `docker.io/library/pause` for pod-failure. */
const TAGS: Readonly<Record<string, readonly string[]>> = {
  'docker.io/library/busybox': [
    ...withSuffixes(minorVersions('1.28', '1.37'), 'glibc', 'musl'),
    '1.36.1',
    '1.28.4',
    '1',
    'stable',
    'latest',
  ],
  'docker.io/library/alpine': [...minorVersions('3.16', '3.22'), '3', 'latest'],
  'docker.io/library/debian': [
    ...withSuffixes(['bookworm', 'bullseye', 'trixie', '11', '12', '13', 'stable'], 'slim'),
    'latest',
  ],
  'docker.io/library/ubuntu': ['20.04', '22.04', '24.04', 'focal', 'jammy', 'noble', 'latest'],
  'docker.io/library/python': [
    ...withSuffixes([...minorVersions('3.9', '3.13'), '3'], 'slim', 'alpine'),
    'slim',
    'alpine',
    'latest',
  ],
  'docker.io/library/node': [
    ...withSuffixes(['18', '20', '22', '24', 'lts'], 'slim', 'alpine'),
    'slim',
    'alpine',
    'latest',
  ],
  'docker.io/curlimages/curl': [
    ...minorVersions('8.0', '8.16').map((version) => `${version}.0`),
    '8.4.0',
    '8.10.1',
    '8.11.1',
    'latest',
  ],
  'docker.io/library/nginx': [
    ...withSuffixes([...minorVersions('1.14', '1.29'), '1', 'stable', 'mainline'], 'alpine'),
    ...['1.14.2', '1.16.1', '1.19.10', '1.25.3', '1.27.0', 'alpine', 'latest'],
  ],
  'docker.io/library/httpd': [...withSuffixes(['2', '2.4'], 'alpine'), 'alpine', 'latest'],
  'registry.k8s.io/pause': [...minorVersions('3.1', '3.10'), 'latest'],
  'docker.io/library/pause': ['latest'],
}

/** Returns the repository of a well-known image with this full name, such as `docker.io/library/nginx`; undefined for other images. */
export const wellKnownRepository = (image: string): string | undefined => {
  const colon = image.lastIndexOf(':')
  const repository = image.slice(0, colon)
  return TAGS[repository]?.includes(image.slice(colon + 1)) === true ? repository : undefined
}
