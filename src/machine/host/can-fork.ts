/** Whether this machine and this version of Node.js support forks. */
/** The version whose threads and heap the forks know. */
const NODE_MAJOR = 24

interface ReportHeader {
  readonly header: { readonly glibcVersionRuntime?: string }
}

/** The types of Node.js lack the option. */
type Report = typeof process.report & { excludeNetwork: boolean }

const hasGlibc = (): boolean => {
  const report = process.report as Report
  const { excludeNetwork } = report
  // Otherwise the report looks up the names of addresses.
  report.excludeNetwork = true
  try {
    return (report.getReport() as unknown as ReportHeader).header.glibcVersionRuntime !== undefined
  } finally {
    report.excludeNetwork = excludeNetwork
  }
}

/** Whether `#machine/forks` works here. */
export const canFork = (): boolean =>
  process.platform === 'linux' &&
  Number.parseInt(process.versions.node, 10) === NODE_MAJOR &&
  ['x64', 'arm64'].includes(process.arch) &&
  hasGlibc()
