# The sample app; the web process and the workers run the same image and differ in TASKS_ROLE.
FROM node:22.23.2-slim AS build
WORKDIR /app
# Dependencies first: they change less often than the sources, so this layer is mostly reused.
COPY package.json package-lock.json ./
COPY libs/task-streams/package.json libs/task-streams/
COPY libs/task-streams-cli/package.json libs/task-streams-cli/
COPY libs/task-streams-cli/bin libs/task-streams-cli/bin
RUN npm ci --no-audit --no-fund
COPY nest-cli.json tsconfig.json tsconfig.build.json ./
COPY scripts scripts
COPY libs libs
COPY src src
RUN npm run build && npm prune --omit=dev --no-audit --no-fund

FROM node:22.23.2-slim
ENV NODE_ENV=production
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules node_modules
# node_modules links to the library and the command line here: docker compose exec web npx task-streams stats
COPY --from=build /app/libs/task-streams/package.json libs/task-streams/
COPY --from=build /app/libs/task-streams/dist libs/task-streams/dist
COPY --from=build /app/libs/task-streams-cli libs/task-streams-cli
COPY --from=build /app/dist dist
# A volume mounted here takes over this owner, so the app can write without being root.
RUN mkdir /data && chown node:node /data
USER node
EXPOSE 3000
CMD ["node", "--enable-source-maps", "dist/main.js"]
