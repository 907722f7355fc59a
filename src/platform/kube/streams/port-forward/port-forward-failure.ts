/** The message of a failed forwarded connection, as the kubelet and containerd report it. */

export interface PodSandbox {
  /** The ID of the sandbox; error messages name the pod by it. */
  readonly sandbox: string
  /** The path of the network namespace. */
  readonly networkNamespace: string
}

/** Describes the socket errors of Node.js as containerd does; keeps the message of other errors. */
const reasonOf = (error: NodeJS.ErrnoException, port: number, pod: PodSandbox): string => {
  const prefix = `failed to execute portforward in network namespace "${pod.networkNamespace}"`
  if (error.code === 'ECONNREFUSED') {
    const refused = 'connect: connection refused'
    return `${prefix}: failed to connect to localhost:${port} inside namespace "${pod.sandbox}", IPv4: dial tcp4 127.0.0.1:${port}: ${refused} IPv6 dial tcp6 [::1]:${port}: ${refused} `
  }
  if (error.code === 'ECONNRESET') return `${prefix}: read: connection reset by peer`
  return error.message
}

export const portForwardFailure = (error: Error, port: number, pod: PodSandbox): string =>
  `error forwarding port ${port} to pod ${pod.sandbox}, uid : ${reasonOf(error, port, pod)}`
