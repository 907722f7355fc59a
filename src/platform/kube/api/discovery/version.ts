/** The reported Kubernetes version; some clients adapt their behaviour to it. */

export const VERSION = {
  major: '1',
  minor: '32',
  gitVersion: 'v1.32.4+remedium',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'go1.23.5',
  compiler: 'gc',
  platform: 'linux/amd64',
} as const
