"""A GPU's name is read for what it says, and for nothing else."""

import pytest

from leaderpress.ingesters.hardware import describe


@pytest.mark.parametrize(
    ("name", "vendor", "product", "architecture"),
    [
        ("B200", "nvidia", "NVIDIA B200", "sm_100"),
        ("GB200", "nvidia", "NVIDIA GB200", "sm_100"),
        ("H200", "nvidia", "NVIDIA H200", "sm_90"),
        ("H100", "nvidia", "NVIDIA H100", "sm_90"),
        ("A100", "nvidia", "NVIDIA A100", "sm_80"),
        ("NVIDIA_H100", "nvidia", "NVIDIA H100", "sm_90"),
        ("NVIDIA B200", "nvidia", "NVIDIA B200", "sm_100"),
        ("NVIDIA_B300", "nvidia", "NVIDIA_B300", "unknown"),
        ("GeForce RTX 5090", "nvidia", "GeForce RTX 5090", "unknown"),
        ("AMD_MI300X", "amd", "AMD_MI300X", "unknown"),
        ("MI355X", "amd", "MI355X", "unknown"),
        ("Intel Gaudi3", "intel", "Intel Gaudi3", "unknown"),
        ("TPU-v5e", "google", "TPU-v5e", "unknown"),
        ("Apple M4", "apple", "Apple M4", "unknown"),
        ("L40S", "unknown", "L40S", "unknown"),
        ("b200", "unknown", "b200", "unknown"),
        ("mining-rig", "unknown", "mining-rig", "unknown"),
    ],
)
def test_a_gpu_name_gives_vendor_product_and_architecture(
    name: str, vendor: str, product: str, architecture: str
) -> None:
    assert describe(name) == {"vendor": vendor, "product": product, "architecture": architecture}
