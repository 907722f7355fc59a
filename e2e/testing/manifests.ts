/** The objects that the tests of kubectl make from files. */

interface Web {
  replicas?: number
  image?: string
  /** What the container runs; the image's own program where absent. */
  command?: readonly string[]
  /** The container's environment, one variable. */
  colour?: string
}

/** A Deployment `web` in YAML. */
export const webDeployment = ({ replicas = 2, image = 'nginx:1.27', command, colour }: Web = {}): string => `\
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

/** A Pod in YAML whose one container `main` runs a shell script. */
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

/** Several objects as one file. */
export const together = (...manifests: string[]): string => manifests.join('---\n')
