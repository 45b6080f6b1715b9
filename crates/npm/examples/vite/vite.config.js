import { defineConfig } from "vite";

export default defineConfig({
  // The page may lie in any folder of a server.
  base: "./",
  // The package finds its workers beside its own files, so the development server must not move it.
  optimizeDeps: { exclude: ["strata-attention"] },
  build: { target: "es2022" },
});
