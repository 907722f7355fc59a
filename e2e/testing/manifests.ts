/** Manifests for the tests of kubectl. */

interface WebOptions {
  replicas?: number
  image?: string
  /** The command of the container; by default that of the image. */
  command?: readonly string[]
  /** The value of the environment variable COLOUR; not set by default. */
  colour?: string
}

/** A Deployment `web` in YAML. */
export const webDeployment = ({
  replicas = 2,
  image = 'nginx:1.27',
  command,
  colour,
}: WebOptions = {}): string => `\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
  labels: {app: web}
spec:
  replicas: ${replicas}
  selector:
    matchLabels: {app: web}
  template:
    metadata:
      labels: {app: web}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: web
        image: ${image}
        ports:
        - {containerPort: 80, name: http}
${command === undefined ? '' : `        command: ${JSON.stringify(command)}\n`}\
${colour === undefined ? '' : `        env: [{name: COLOUR, value: ${colour}}]\n`}`

export const webService = `\
apiVersion: v1
kind: Service
metadata:
  name: web
  labels: {app: web}
spec:
  selector: {app: web}
  ports:
  - {name: http, port: 80, targetPort: http}
`

export const webConfig = (value: string): string => `\
apiVersion: v1
kind: ConfigMap
metadata:
  name: web
  labels: {app: web}
data:
  value: ${value}
`

/** A Pod in YAML with one container, `main`, that runs a shell script. */
export const scriptPod = (name: string, script: string, fields = ''): string => `\
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  labels: {app: ${name}}
spec:
  terminationGracePeriodSeconds: 1
  restartPolicy: Never
  containers:
  - name: main
    image: busybox:1.36
    command: [sh, -c, ${JSON.stringify(script)}]
${fields}`

/** Joins several manifests into one file. */
export const joinManifests = (...manifests: string[]): string => manifests.join('---\n')
