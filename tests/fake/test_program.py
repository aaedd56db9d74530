#!/usr/bin/env python3
"""The whole program on the fake CUDA runtime: what users see when a GPU misbehaves."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from program import FOLDER, SUITES, Run, call, environment, values


class Devices(unittest.TestCase):
    def check(self, run, *parts):
        for part in parts:
            self.assertIn(part, run)

    def test_DEV_01_no_driver(self):
        listed = call(["devices"], FAKE_CUDA_DRIVER=0)
        self.assertEqual(listed.returncode, 0)
        self.check(listed.stdout, "cpu ", "35", "no driver found", "CUDA runtime")
        with Run("tiny", FAKE_CUDA_DRIVER=0) as run:
            self.assertIn(run.status, (4, 6))
            self.check(run.err, "35 (cudaErrorInsufficientDriver", "no driver found")
        with Run("tiny", device="auto", FAKE_CUDA_DRIVER=0) as run:
            self.assertEqual(run.status, 0, run.err)
            self.assertEqual(run.results["devices"][0]["kind"], "cpu")
            self.check(run.err, "35")

    def test_DEV_01_old_driver(self):
        listed = call(["devices"], FAKE_CUDA_DRIVER=10020)
        self.check(listed.stdout, "the driver supports CUDA 10.2", "needs driver")

    def test_DEV_02_stub_library(self):
        libraries = f"{FOLDER}/lib:{FOLDER}/stubs"
        settings = {"FAKE_CUDA_FAIL": "cudaGetDeviceCount=34", "LD_LIBRARY_PATH": libraries}
        listed = call(["devices"], **settings)
        self.assertEqual(listed.returncode, 0)
        self.check(listed.stdout, "cpu ", "34 (cudaErrorStubLibrary", FOLDER + "/stubs/libcuda.so.1")
        with Run("tiny", device="auto", **settings) as run:
            self.assertEqual(run.status, 0, run.err)

    @unittest.skipUnless(os.path.exists(os.environ.get("GB_REAL_STUB", "")),
                         "the toolkit has no stub of libcuda")
    def test_DEV_02_the_real_stub_and_the_real_runtime(self):
        with tempfile.TemporaryDirectory(prefix="gpubench-stub-") as folder:
            shutil.copy(os.environ["GB_REAL_STUB"], os.path.join(folder, "libcuda.so.1"))
            done = subprocess.run([os.environ["GPUBENCH"], "devices"], text=True, check=False,
                                  capture_output=True, env=environment(LD_LIBRARY_PATH=folder))
            self.assertEqual(done.returncode, 0)
            self.check(done.stdout, "34 (cudaErrorStubLibrary", folder + "/libcuda.so.1")

    def test_DEV_04_nvml_mismatch(self):
        with Run("tiny", FAKE_NVML_INIT=18) as run:
            self.assertEqual(run.status, 0, run.err)
            telemetry = run.of("memory[")["telemetry"]
            text = json.dumps(telemetry)
            self.check(text, "version mismatch")
            self.assertNotIn("1003", text)
        with Run("tiny", FAKE_CUDA_FAIL="cudaGetDeviceCount=803") as run:
            self.assertIn(run.status, (4, 6))
            self.check(run.err, "reboot or reload the driver")

    def test_DEV_05_one_reading_missing(self):
        with Run("tiny", FAKE_NVML_UNSUPPORTED="nvmlDeviceGetPowerUsage") as run:
            text = json.dumps(run.of("memory[")["telemetry"])
            self.check(text, '"power_w": null', '"temperature_c": 43')

    def test_DEV_08_visible_devices(self):
        for value, part in (("", "is empty"), ("-1", "ends the list"), ("abc", "is no device"),
                            ("0,0", "twice"), ("7", "is '7'")):
            listed = call(["devices"], CUDA_VISIBLE_DEVICES=value)
            self.assertEqual(listed.returncode, 0)
            self.check(listed.stdout, "100 (cudaErrorNoDevice", "CUDA_VISIBLE_DEVICES", part)
        listed = call(["devices"], CUDA_VISIBLE_DEVICES="1,0,-1,2", FAKE_CUDA_DEVICES=3)
        self.check(listed.stdout, "cuda:0   Fake GPU 1", "cuda:1   Fake GPU 0")
        self.assertNotIn("cuda:2", listed.stdout)
        listed = call(["devices"], CUDA_VISIBLE_DEVICES="GPU-202122", FAKE_CUDA_DEVICES=3)
        self.check(listed.stdout, "cuda:0   Fake GPU 2")

    def test_DEV_09_telemetry_of_the_right_gpu(self):
        with Run("tiny", device="cuda:0", FAKE_CUDA_DEVICES=4) as run:
            self.check(json.dumps(run.of("memory[")["telemetry"]), '"temperature_c": 43')
        with Run("tiny", device="cuda:3", FAKE_CUDA_DEVICES=4) as run:
            self.check(json.dumps(run.of("memory[")["telemetry"]), '"temperature_c": 40')

    def test_DEV_10_busy(self):
        with Run("tiny", FAKE_CUDA_FAIL="cudaSetDevice=46", FAKE_CUDA_ATTRIBUTES="20=3") as run:
            self.assertEqual(run.status, 6)
            self.check(run.err + json.dumps(run.results), "46 (cudaErrorDevicesUnavailable",
                       "compute mode: exclusive process")
            self.assertEqual(set(run.statuses()), {"not_run"})

    def test_DEV_12_lost_context(self):
        with Run("tiny", FAKE_CUDA_KERNEL_ERROR="stream_triad_fp32=700") as run:
            self.assertEqual(run.status, 3)
            bad = run.of("memory[")
            self.assertEqual(bad["status"], "failed")
            self.check(bad["reason"], "cudaStreamSynchronize: 700 (cudaErrorIllegalAddress")
            self.assertEqual(values(bad), [])
            self.assertEqual(run.statuses(), ["failed"] + ["ok"] * 6)

    def test_DEV_13_hardware_fault(self):
        with Run("tiny", FAKE_CUDA_KERNEL_ERROR="stream_triad_fp32=214") as run:
            self.assertNotEqual(run.status, 0)
            self.assertEqual(run.of("memory[")["reason_code"], "hardware-fault")
            self.check(run.results["hardware_fault"], "memory[", "214 (cudaErrorECCUncorrectable")
            self.check(run.out, "This run cannot serve as a baseline.")
        with Run("tiny", device="cuda:0", FAKE_CUDA_DEVICES=4) as run:
            self.assertIsNone(run.results["hardware_fault"])
            self.check(json.dumps(run.of("memory[")["telemetry"]), '"ecc_uncorrected": 3')

    def test_DEV_14_ecc_is_on_off_or_unknown(self):
        no_nvml = {"FAKE_NVML_INIT": 12}
        for settings, ecc in (({}, True), ({"FAKE_CUDA_ATTRIBUTES": "32=0", **no_nvml}, False),
                              ({"FAKE_CUDA_ATTRIBUTES": "32=!801", **no_nvml}, None)):
            with Run("tiny", **settings) as run:
                self.assertIs(run.results["devices"][0]["ecc"], ecc, settings)

    def test_DEV_16_no_machine_code(self):
        with Run("tiny", FAKE_CUDA_CC="6.1") as run:
            self.assertIn(run.status, (4, 6))
            self.check(run.err + json.dumps(run.results), "6.1")
            self.check(run.err + json.dumps(run.results), "GPUBENCH_CUDA_ARCHITECTURES=61")
            self.assertNotIn("failed", run.statuses())
        with Run("tiny", device="auto", FAKE_CUDA_CC="6.1") as run:
            self.assertEqual(run.results["devices"][0]["kind"], "cpu")

    def test_DEV_18_every_verb_without_a_driver(self):
        with Run("tiny") as run:
            suite = os.path.join(SUITES, "tiny.yaml")
            for verb in (["list"], ["describe", "stream"], ["check", suite], ["devices"],
                         ["run", "--device", "cpu", "--dry-run", suite],
                         ["report", run.directory], ["--version"], ["help"]):
                done = call(verb, FAKE_CUDA_DRIVER=0)
                self.assertEqual(done.returncode, 0, (verb, done.stderr))

    def test_DEV_20_shared_gpu(self):
        with Run("tiny", FAKE_NVML_PROCESSES=2) as run:
            self.check(json.dumps(run.results), '"other_processes": 2')

    def test_two_devices_of_one_host(self):
        """In turns: ratios and no verdict; two such runs crosswise never wait for each other."""
        with tempfile.TemporaryDirectory() as folder:
            env = environment(FAKE_CUDA_DEVICES=2, GPUBENCH_LOCK_DIR=folder)
            def start(mine, other, name):
                return subprocess.Popen(
                    [os.environ["GPUBENCH_FAKE"], "run", os.path.join(SUITES, "tiny.yaml"), "--device", mine,
                     "--against-device", other, "--json", "--no-plots", "--out", os.path.join(folder, name)],
                    env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            for turn in range(4):
                runs = [start("cuda:0", "cuda:1", f"a{turn}"), start("cuda:1", "cuda:0", f"b{turn}")]
                for run in runs:
                    out, err = run.communicate(timeout=60)
                    self.assertEqual(run.returncode, 0, err)
                    document = json.loads(out)
                    self.assertEqual({c["verdict"] for c in document["cases"]}, {"ratio"})
                    self.assertFalse(document["regression"])
            for mine, other in (("cuda:0", "cuda:0"), ("all", "cuda:1"), ("cuda:0", "cpu")):
                run = start(mine, other, "wrong")
                out, err = run.communicate(timeout=60)
                self.assertEqual(run.returncode, 2, err)
                self.assertEqual(json.loads(out)["error"]["exit_code"], 2)
                self.assertFalse(os.path.exists(os.path.join(folder, "wrong")))


class Profilers(unittest.TestCase):
    """What a profiler's library sees through NVTX."""

    @unittest.skipUnless(os.path.exists(FOLDER + "/lib/libfake_nvtx.so"),
                         "the toolkit has no NVTX headers")
    def test_a_range_for_each_case(self):
        with tempfile.TemporaryDirectory(prefix="gpubench-nvtx-") as folder:
            log = os.path.join(folder, "log")
            with Run("tiny", arguments=["--profile"], FAKE_NVTX_LOG=log,
                     NVTX_INJECTION64_PATH=FOLDER + "/lib/libfake_nvtx.so") as run:
                self.assertEqual(run.status, 0, run.err)
                with open(log, encoding="utf-8") as file:
                    lines = file.read().splitlines()
                self.assertEqual(lines[1::2], ["end "] * len(run.records))
                self.assertEqual(sorted(lines[0::2]), sorted("begin " + c for c in run.records))
                for record in run.records.values():
                    self.assertFalse(record["gated"])
                    self.assertEqual(record["time_ns"]["n"], 1)
                    self.assertEqual(record["iterations_per_sample"], 1)

    def test_published_peaks_are_found_by_name(self):
        with Run("tiny") as run:
            self.assertIsNone(run.results["devices"][0]["published"])  # there is no "Fake GPU 0"
            self.assertIn("peaks", run.results["devices"][0])


class Work(unittest.TestCase):
    def test_all_is_well(self):
        with Run("tiny") as run:
            self.assertEqual(run.status, 0, run.err)
            self.assertEqual(run.statuses(), ["ok"] * 7)
            self.assertEqual(run.of("memory[")["time_ns"]["median"], 1e6)

    def test_KRN_16_a_kernel_of_which_no_block_fits(self):
        with Run("reduce") as run:
            self.assertEqual(run.status, 0, run.err)
        with Run("reduce", FAKE_CUDA_RESIDENT_BLOCKS=0, FAKE_CUDA_STATIC_SHARED=1024) as run:
            self.assertEqual(run.status, 3, run.err)
            record = run.of("variant=tree")
            self.assertEqual(record["status"], "failed")
            for part in ("kernel does not fit", "32 registers", "1024 static + 0 dynamic bytes"):
                self.assertIn(part, record["reason"])
            self.assertEqual(values(record), [])
            self.assertEqual(run.of("variant=serial")["status"], "ok")  # needs no such figure

    def test_TIM_04_slow_first_call(self):
        with Run("tiny", FAKE_CUDA_FIRST_CALL_MS=40) as run:
            record = run.of("memory[")
            self.assertGreater(record["first_call_ns"], 40e6)
            self.assertEqual(record["time_ns"]["median"], 1e6)
            self.assertEqual(record["time_ns"]["max"], 1e6)

    def test_TIM_08_failing_event(self):
        with Run("tiny", FAKE_CUDA_FAIL="cudaEventElapsedTime:2=600") as run:
            self.assertEqual(run.status, 3)
            bad = [r for r in run.records.values() if r["status"] != "ok"]
            self.assertEqual(len(bad), 1)
            self.assertIn("cudaEventElapsedTime: 600 (cudaErrorNotReady", bad[0]["reason"])
            # The case and its reason stand in one line, and the reason does not repeat the case.
            self.assertIn(f"{bad[0]['case']}: {bad[0]['reason']}", run.out + run.err)
            self.assertNotIn(bad[0]["case"], bad[0]["reason"])
            self.assertIn("sample", bad[0]["reason"])

    def test_TIM_12_kernel_never_ran(self):
        with Run("tiny", FAKE_CUDA_FAIL="cudaLaunchKernel:5=209",
                 FAKE_CUDA_ELAPSED_MS="0.008192") as run:
            self.assertEqual(run.status, 3)
            bad = [r for r in run.records.values() if r["status"] != "ok"]
            self.assertEqual([r["status"] for r in bad], ["failed"])
            self.assertIn("209 (cudaErrorNoKernelImageForDevice", bad[0]["reason"])
            self.assertEqual(values(bad[0]), [])

    def test_CPY_05_corrupted_word(self):
        with Run("tiny", FAKE_CUDA_COPY="corrupt:1") as run:
            self.assertEqual(run.status, 3)
            bad = run.of("direction=h2d,memory=pinned")
            self.assertEqual(bad["status"], "wrong")
            for part in ("offset", "expected", "found"):
                self.assertIn(part, bad["reason"])
            self.assertTrue(run.results["complete"])
            self.assertEqual(len(run.records), 7)

    def test_CPY_06_failing_copy(self):
        with Run("tiny", FAKE_CUDA_FAIL="cudaMemcpyAsync:20=1") as run:
            self.assertEqual(run.status, 3)
            bad = [r for r in run.records.values() if r["status"] != "ok"]
            self.assertEqual([r["status"] for r in bad], ["failed"])
            self.assertIn("cudaMemcpyAsync: 1 (cudaErrorInvalidValue", bad[0]["reason"])
            self.assertEqual(values(bad[0]), [])

    def test_CPY_10_pinned_limit(self):
        with Run("pinned", FAKE_CUDA_PINNED_LIMIT=1000000) as run:
            self.assertEqual(run.of("pinned[bytes=4096")["status"], "ok")
            self.assertEqual(run.of("pinned[bytes=65536")["status"], "ok")
            big = run.of("pinned[bytes=8388608")
            self.assertIn(big["status"], ("skipped", "failed"))
            self.assertIn("pinned host allocation of 8388608 bytes refused", big["reason"])
            self.assertEqual(run.of("managed[bytes=4096")["status"], "ok")

    def test_CPY_14_nothing_arrives(self):
        with Run("tiny", FAKE_CUDA_COPY="nothing") as run:
            self.assertEqual(run.status, 3)
            self.assertEqual(run.of("direction=h2d,memory=pinned")["status"], "wrong")

    def test_CPY_14_a_copy_that_never_ends(self):
        with Run("hang", FAKE_CUDA_COPY="hang") as run:
            self.assertEqual(run.status, 3)
            self.assertEqual(run.statuses(), ["timeout"] * 2)

    def test_CPY_16_managed_beyond_what_is_free(self):
        with Run("pinned", FAKE_CUDA_MEMORY=40 << 20) as run:
            self.assertEqual(run.of("managed[bytes=4096")["status"], "ok")
            big = run.of("managed[bytes=50331648")
            self.assertEqual(big["status"], "skipped")
            self.assertEqual(big["reason_code"], "no-memory")


class Graphs(unittest.TestCase):
    def test_all_is_well(self):
        with Run("graph") as run:
            self.assertEqual(run.status, 0, run.err)
            self.assertEqual(run.statuses(), ["ok"] * 8)
            self.assertEqual(run.of("replay-device")["timer"], "device")
            self.assertEqual(run.of("capture")["timer"], "call")

    def capture_fails(self, call, number, name):
        with Run("graph", FAKE_CUDA_FAIL=f"{call}={number}") as run:
            self.assertEqual(run.status, 3)
            for case, record in run.records.items():
                if "eager" in case:
                    self.assertEqual(record["status"], "ok", record["reason"])
                    self.assertTrue(values(record))
                else:
                    self.assertEqual(record["status"], "failed")
                    self.assertIn(f"{call}: {number} ({name}", record["reason"])
                    self.assertEqual(values(record), [])

    def test_KRN_10_capture_fails_and_eager_launches_are_still_measured(self):
        self.capture_fails("cudaStreamBeginCapture", 900, "cudaErrorStreamCaptureUnsupported")
        self.capture_fails("cudaStreamEndCapture", 904, "cudaErrorStreamCaptureUnjoined")


class Neighbours(unittest.TestCase):
    def test_a_second_process_opens_the_same_gpu(self):
        with Run("beside") as run:
            self.assertEqual(run.status, 0, run.err)
            self.assertEqual(run.statuses(), ["ok"] * 4)

    def test_one_that_gets_no_memory_is_a_skip(self):
        with Run("beside", FAKE_CUDA_PINNED_LIMIT=1000) as run:
            self.assertEqual(run.statuses(), ["ok"] * 3 + ["skipped"])
            record = run.of("beside=copies")
            self.assertEqual(record["status"], "skipped")
            self.assertIn("the neighbour: ", record["reason"])
            self.assertIn("65536", record["reason"])


class Build(unittest.TestCase):
    def dynamic(self):
        done = subprocess.run(["readelf", "-d", os.environ["GPUBENCH"]], capture_output=True,
                              text=True, check=True)
        return done.stdout

    def test_BLD_04_no_driver_library_is_needed(self):
        text = self.dynamic()
        self.assertIn("NEEDED", text)
        for name in ("libcuda", "libnvidia-ml", "libcudart", "libcublas", "libstdc++"):
            self.assertNotIn(name, text)
        done = subprocess.run([os.environ["GPUBENCH"], "devices"], capture_output=True, text=True,
                              check=False)
        self.assertEqual(done.returncode, 0)
        self.assertIn("cpu", done.stdout)

    def test_BLD_05_no_stub_folder_in_the_run_path(self):
        for line in self.dynamic().splitlines():
            self.assertFalse(("RPATH" in line or "RUNPATH" in line), line)


if __name__ == "__main__":
    if not os.path.exists(os.environ["GPUBENCH_FAKE"]):
        sys.exit("no program: " + os.environ["GPUBENCH_FAKE"])
    unittest.main(verbosity=2)
